import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { parseUrl } from '@gantry/mcp/foreign'
import type { Cluster } from '../cluster/cluster.ts'
import type { Front } from '../front/front.ts'
import type { Gateway } from '../gateway.ts'
import type { ClusterModel, GatewayModel } from '../model/index.ts'
import type { State } from '../state/open-state.ts'
import type { Counted } from '../chain/rates/rate-counts.ts'
import { talk, type WorkerPlace } from '../workers/worker-place.ts'
import type { WorkerPort } from '../workers/worker-port.ts'

/** Loaded only where several processes share the port. */
export async function openWorkerPort(place: WorkerPlace): Promise<WorkerPort> {
  const { WorkerPort: Loaded } = await import('../workers/worker-port.ts')
  return new Loaded(place)
}

/** Workers count calls against the limits of the configuration together. */
export function shareRates({ rates }: Gateway): void {
  const hear = rates.shareWith((counted) => tell(counted))
  const tell = talk<Counted>((from, counted) => hear(from, counted))
}

/** Workers share programs as gateways do; each has a port of its own for that, and they follow each other. */
export function ownCluster(
  { cluster }: GatewayModel['server'],
  { slot, count, turn }: WorkerPlace,
): ClusterModel {
  // A new worker serves before the worker that it replaces has ended.
  const offset = slot + count * turn
  const { host = '127.0.0.1', port = 0, address, tls } = cluster ?? {}
  const url = address === undefined ? undefined : parseUrl(address)
  if (url) url.port = String(Number(url.port || (tls ? 443 : 80)) + offset)
  return { host, port: port === 0 ? 0 : port + offset, address: url?.origin, tls }
}

/** Loaded only where several gateways work together. */
export async function joinCluster(
  model: ClusterModel,
  gateway: Gateway,
  front: Front,
  { store, keys }: State,
): Promise<Cluster> {
  const { Cluster: Loaded } = await import('../cluster/cluster.ts')
  return Loaded.join({
    model,
    gateway,
    store,
    keys,
    log: gateway.log,
    scope: gateway.model.server.cluster ? '' : ownScope(gateway.model.server.port),
    sessions: {
      receive: (request, response, certified) => front.receive(request, response, certified),
      isWorking: (session) => front.isWorking(session),
      has: (session) => front.session(session) !== undefined,
    },
    letGo: () => front.letGo(),
  })
}

/** Workers without `server.cluster` work with those of their own gateway only, also when others use the same store. */
function ownScope(port: number): string {
  return `${createHash('sha256').update(`${hostname()}:${port}`).digest('hex').slice(0, 12)}-`
}
