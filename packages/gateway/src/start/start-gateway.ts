import { setTimeout as sleep } from 'node:timers/promises'
import { serveStdio } from '@gantry/mcp/server/node'
import { ApprovalWebhook } from '../admin/approvals/approval-webhook.ts'
import { recordConsents, recordRefusals } from '../admin/audit/audit-watch.ts'
import { ConfigFile } from '../admin/config/config-file.ts'
import type { AdminApi } from '../admin/contract.ts'
import type { AdminServer } from '../admin/http/admin-server.ts'
import type { AdminToken } from '../admin/http/admin-token.ts'
import { localApi } from '../admin/local-api.ts'
import { RuleWatch } from '../chain/policy/rule-watch.ts'
import { consoleAddress, localUrl, publicUrl } from '../front/addresses.ts'
import type { BoundAddress } from '../front/bound-address.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { Door, logRefusals } from '../front/door.ts'
import { Front } from '../front/front.ts'
import type { Gateway } from '../gateway.ts'
import { KeptKeys } from '../identity/keys/kept-keys.ts'
import type { OnRefused } from '../identity/refusal.ts'
import type { GatewayModel } from '../model/index.ts'
import { readVersion } from '../model/read-version.ts'
import { announceState } from '../state/announce-state.ts'
import { createGateway } from './create-gateway.ts'
import { supervisorSocket } from '../workers/worker-place.ts'
import { joinCluster, openWorkerPort, ownCluster, shareRates } from './join-others.ts'
import { openAdmin } from './open-admin.ts'
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
  const onConsent = recordConsents(gateway.audit)
  accounts.onConsent = onConsent
  const keys = new KeptKeys(state.store)
  const door = await Door.create(model, {
    keys,
    onRefused,
    onConsent,
    store: state.store,
    log: gateway.log,
    accountsOf: (auth) => accounts.listFor(auth.principal, personalTargets(gateway, auth)),
  })
  let served: AdminServer | undefined
  const webhook = new ApprovalWebhook(gateway)
  const portal = lazyPortal(gateway, accounts, door)
  const workers = options.worker && (await openWorkerPort(options.worker))
  if (workers) shareRates(gateway)
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
  const shared = options.worker ? ownCluster(model.server, options.worker) : model.server.cluster
  let cluster: Cluster | undefined
  let bound: BoundAddress
  try {
    // Before anybody can come: a gateway that does not know the others takes their sessions and programs for its own.
    cluster = shared && (await joinCluster(shared, gateway, front, state))
    // Workers of one machine find sessions by their slots.
    if (model.server.cluster) front.sessions = cluster?.sessions
    bound = await listen(front, model, options.searchPort ?? false)
  } catch (error) {
    // Parts that are open already would keep the process alive, and others waiting.
    await Promise.allSettled([cluster?.leave(0), gateway.close()])
    await state.store.close()
    throw error
  }
  const local = localUrl(model, bound)
  const url = publicUrl(model) ?? local
  gateway.approvals.address = url
  accounts.address = url
  accounts.idTokenOf = async (principal) => door.signIn?.idTokenOf(principal)
  const configFile = options.source && new ConfigFile({ ...options.source, gateway })
  const announce = (token: AdminToken | undefined): Promise<() => Promise<void>> =>
    announceState(gateway, state.isKept, {
      // A certificate is for the name that clients use.
      url: model.server.tls ? url : local,
      token: token?.value,
      serves: options.serves,
      version: readVersion(),
      supervisor: options.worker && supervisorSocket(options.worker.folder),
    })
  const { admin, server, token } = await openAdmin({
    host: {
      ...hostFacts(options),
      gateway,
      keys,
      accounts,
      log: ring,
      front,
      url,
      configFile,
      others: cluster?.questions,
    },
    state,
    door,
    onRefused,
    isLocal: bound.loopback,
    renewed: announce,
  })
  served = server
  const ruleWatch = new RuleWatch(gateway)
  gateway.observers.add({
    modelChanging: (next) => door.setModel(next),
    policyChanged: () => front.recheck(),
    modelChanged: () => void portal.prepare().catch(() => {}),
  })
  gateway.observers.add(ruleWatch)
  ruleWatch.modelChanged()
  await admin.load()
  if (cluster) cluster.answer = admin.answer
  await workers?.open({
    handle: (request, response, certified) => front.receive(request, response, certified),
    answer: async () => (await front.status.metrics(false)).json(),
  })
  gateway.start()
  // Its first visitor learns what is missing.
  portal.prepare().catch(() => {})
  await configFile?.follow()
  // Commands on this machine need no way round by the proxy.
  gateway.log('info', 'The gateway listens', { address: bound.address, port: bound.port })
  const forget = await announce(token)
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
      gateway.log('info', 'The gateway stops', { underWay: gateway.exchanges.running.length })
      await forget()
      door.close()
      await portal.close()
      await configFile?.close()
      await admin.close()
      await Promise.all([front.close(grace), cluster?.leave(grace ?? gateway.model.server.shutdownGrace)])
      await gateway.close()
      await accounts.close()
      // A collector that is away is waited for. The last events of the audit trail are written meanwhile.
      await Promise.all([gateway.tracer?.close(), audit?.close()])
      await state.store.close()
      workers?.close()
      gateway.log('info', 'The gateway has stopped')
    },
  }
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
