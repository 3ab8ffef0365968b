import { setTimeout as sleep } from 'node:timers/promises'
import { serveStdio } from '@gantry/mcp/server/node'
import { Admin } from '../admin/admin.ts'
import { ApprovalWebhook } from '../admin/approvals/approval-webhook.ts'
import { recordRefusals } from '../admin/audit/audit-watch.ts'
import { ConfigFile } from '../admin/config/config-file.ts'
import type { AdminApi } from '../admin/contract.ts'
import { AdminGate } from '../admin/http/admin-gate.ts'
import { AdminServer } from '../admin/http/admin-server.ts'
import { AdminToken } from '../admin/http/admin-token.ts'
import { ConsoleCookie } from '../admin/http/console-cookie.ts'
import { ConsolePeople } from '../admin/http/console-people.ts'
import { ConsoleFiles } from '../admin/http/console-files.ts'
import { localApi } from '../admin/local-api.ts'
import { RuleWatch } from '../chain/policy/rule-watch.ts'
import { consoleAddress, localUrl, publicUrl } from '../front/addresses.ts'
import type { BoundAddress } from '../front/bound-address.ts'
import { Door, logRefusals } from '../front/door.ts'
import { Front } from '../front/front.ts'
import type { Gateway } from '../gateway.ts'
import { KeptKeys } from '../identity/keys/kept-keys.ts'
import type { OnRefused } from '../identity/refusal.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ClusterModel, GatewayModel } from '../model/index.ts'
import { readVersion } from '../model/read-version.ts'
import { announceState } from '../state/announce-state.ts'
import type { State } from '../state/open-state.ts'
import { createGateway } from './create-gateway.ts'
import { parseUrl } from '@gantry/mcp/foreign'
import { supervisorSocket, type WorkerPlace } from '../workers/worker-place.ts'
import type { WorkerPort } from '../workers/worker-port.ts'
import { lazyPortal, personalTargets } from './lazy-portal.ts'
import { hostFacts, type StartOptions } from './start-options.ts'

export interface RunningGateway {
  readonly gateway: Gateway
  readonly front: Front
  readonly url: string
  /** What the socket is really bound to. */
  readonly bound: BoundAddress
  /** Opens the console without further ado on loopback; undefined when it is switched off. */
  readonly consoleUrl: string | undefined
  /** For `Authorization: Bearer`; undefined when a configured key is needed instead. */
  readonly adminToken: string | undefined
  /** The admin API without HTTP. */
  readonly api: AdminApi
  /** Serves one client on standard input and output until it goes away, or until the signal is aborted. */
  serveStdio(signal?: AbortSignal): Promise<void>
  /** Prints everything that is logged, with what targets write to stderr, or no more than is configured. Returns which. */
  toggleDebug(): boolean
  /** Tells load balancers to send nothing more, and goes on serving until they had time to notice. */
  drain(): Promise<void>
  /** Another process has taken its place at the port: new connections go there. Otherwise the same. */
  retire(): Promise<void>
  /** Calls under way may take `server.shutdownGrace` to end, or as long as is given here. */
  close(options?: { grace?: number }): Promise<void>
}

const PORTS_TO_TRY = 20

/** Joins all parts: model → targets, catalog, relay → front, and the admin API beside them. */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const { model } = options
  const { gateway, state, ring, audit, verbosity, accounts } = await createGateway(options, true)
  const tell = logRefusals(gateway.log)
  const record = recordRefusals(gateway.audit)
  const onRefused: OnRefused = (refused) => {
    tell(refused)
    record(refused)
  }
  const keys = new KeptKeys(state.store)
  const door = await Door.create(model, {
    keys,
    onRefused,
    store: state.store,
    log: gateway.log,
    accountsOf: (auth) => accounts.listFor(auth.principal, personalTargets(gateway, auth)),
  })
  let served: AdminServer | undefined
  const webhook = new ApprovalWebhook(gateway)
  const portal = lazyPortal(gateway, accounts, door)
  const workers = options.worker && (await openWorkerPort(options.worker))
  const front = new Front({
    workers,
    gateway,
    door,
    portal: portal.handle,
    admin: (request, response, path) =>
      webhook.handle(request, response, path) || (served?.handle(request, response, path) ?? false),
  })
  // The first client to come finds what the last run knew.
  await gateway.load()
  const bound = await listen(front, model, options.searchPort ?? false)
  const local = localUrl(model, bound)
  const url = publicUrl(model) ?? local
  gateway.approvals.address = url
  accounts.address = url
  accounts.idTokenOf = async (principal) => door.signIn?.idTokenOf(principal)
  const configFile = options.source && new ConfigFile({ ...options.source, gateway })
  const token = bound.loopback ? await loadToken(gateway, state) : undefined
  const announce = (): Promise<() => Promise<void>> =>
    announceState(gateway, state.isKept, {
      // A certificate is for the name that clients use.
      url: model.server.tls ? url : local,
      token: token?.value,
      serves: options.serves,
      version: readVersion(),
      supervisor: options.worker && supervisorSocket(options.worker.folder),
    })
  const renewToken = async (): Promise<string> => {
    const renewed = await token!.renew()
    await Promise.all([served?.recheck(), announce()])
    return consoleAddress(url, renewed)
  }
  const admin = new Admin({
    ...hostFacts(options),
    gateway,
    keys,
    accounts,
    log: ring,
    front,
    url,
    configFile,
    renewToken: token && renewToken,
  })
  const cookie = new ConsoleCookie(state.sealer, url)
  const people = new ConsolePeople({
    store: state.store,
    logins: () => door.signIn?.logins,
    issuer: () => door.auth.signIn?.issuer,
  })
  const adminServer = new AdminServer({
    handlers: admin.handlers,
    gate: new AdminGate({
      token,
      cookie,
      people,
      guard: () => door.guard,
      roles: () => door.auth.roles,
      onRefused,
    }),
    cookie,
    people,
    console: model.server.console ? new ConsoleFiles() : undefined,
    views: admin.views,
    toJson: (value) => gateway.scrubber.toJson(value),
    onError: (error) =>
      gateway.log('error', `The admin API failed: ${String(error)}`, { event: 'admin-failed' }),
  })
  served = adminServer
  door.follow(() => adminServer.recheck())
  const ruleWatch = new RuleWatch(gateway)
  gateway.observers.add({
    modelChanging: (next) => door.setModel(next),
    policyChanged: () => front.recheck(),
  })
  gateway.observers.add(ruleWatch)
  ruleWatch.modelChanged()
  await admin.load()
  const shared = options.worker ? ownCluster(model.server, options.worker) : model.server.cluster
  const cluster =
    shared &&
    (await joinCluster(shared, gateway, front, state).catch(async (error: unknown) => {
      // What is open already would keep the process alive, and clients waiting.
      await Promise.allSettled([admin.close(), front.close(0), gateway.close()])
      await state.store.close()
      throw error
    }))
  // Workers of one machine find sessions by their slots.
  if (model.server.cluster) front.sessions = cluster?.sessions
  await workers?.open({
    handle: (request, response) => front.receive(request, response),
    answer: async () => (await front.metrics(false)).json(),
  })
  gateway.start()
  await configFile?.follow()
  // Commands on this machine need no way round by the proxy.
  gateway.log('info', 'The gateway listens', { address: bound.address, port: bound.port })
  const forget = await announce()
  return {
    gateway,
    front,
    url,
    bound,
    consoleUrl: model.server.console ? consoleAddress(url, token?.value) : undefined,
    adminToken: token?.value,
    api: localApi(admin.handlers, (value) => gateway.scrubber.toJson(value)),
    serveStdio: (signal) =>
      serveStdio(gateway.endpoint()!, {
        stopTimeout: gateway.model.server.shutdownGrace,
        unread: front.meter.answers,
        onCutOff: ({ message }) =>
          gateway.log('error', `On standard input and output: ${message}`, { event: 'stdio-cut-off' }),
        ...(signal && { signal }),
      }),
    toggleDebug: () => {
      verbosity.debug = !verbosity.debug
      return verbosity.debug
    },
    async drain() {
      front.drain()
      await sleep(gateway.model.server.drainDelay)
    },
    async retire() {
      front.retire()
      await sleep(gateway.model.server.drainDelay)
    },
    async close({ grace } = {}) {
      gateway.log('info', 'The gateway stops', { underWay: gateway.view.running.length })
      await forget()
      door.close()
      await portal.close()
      await configFile?.close()
      await admin.close()
      await Promise.all([front.close(grace), cluster?.leave(grace ?? gateway.model.server.shutdownGrace)])
      await gateway.close()
      await accounts.close()
      await gateway.tracer?.close()
      await audit?.close()
      await state.store.close()
      workers?.close()
      gateway.log('info', 'The gateway has stopped')
    },
  }
}

/** Loaded only where several processes share the port. */
async function openWorkerPort(place: WorkerPlace): Promise<WorkerPort> {
  const { WorkerPort: Loaded } = await import('../workers/worker-port.ts')
  return new Loaded(place)
}

/** Workers share programs as gateways do; each has a port of its own for that, and they follow each other. */
function ownCluster({ cluster }: GatewayModel['server'], { slot, count, turn }: WorkerPlace): ClusterModel {
  // A worker that replaces another serves before that one has ended.
  const offset = slot + count * turn
  const { host = '127.0.0.1', port = 0, address, tls } = cluster ?? {}
  const url = address === undefined ? undefined : parseUrl(address)
  if (url) url.port = String(Number(url.port || (tls ? 443 : 80)) + offset)
  return { host, port: port === 0 ? 0 : port + offset, address: url?.origin, tls }
}

/** Loaded only where several gateways work together. */
async function joinCluster(
  model: ClusterModel,
  gateway: Gateway,
  front: Front,
  { store, keys }: State,
): Promise<Cluster> {
  const { Cluster: Loaded } = await import('../cluster/cluster.ts')
  const receive: Front['receive'] = (request, response) => front.receive(request, response)
  return Loaded.join({ model, gateway, store, keys, log: gateway.log, receive })
}

function loadToken({ log }: Gateway, { store }: State): Promise<AdminToken> {
  return AdminToken.load(store, (error) =>
    log('warn', `The address of the console changes with the next start: ${String(error)}`, {
      event: 'console-token-not-kept',
    }),
  )
}

async function listen(front: Front, model: GatewayModel, search: boolean): Promise<BoundAddress> {
  const { host, port } = model.server
  for (let attempt = 0; ; attempt++) {
    try {
      return await front.listen(port === 0 ? 0 : port + attempt, host)
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!taken || !search || attempt === PORTS_TO_TRY) throw error
    }
  }
}
