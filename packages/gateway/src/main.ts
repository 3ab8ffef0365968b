import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Served } from '@gantry/mcp/exchange'
import { serveStdio } from '@gantry/mcp/server/node'
import { Admin } from './admin/admin.ts'
import { ApprovalWebhook } from './admin/approvals/approval-webhook.ts'
import { ConfigFile } from './admin/config/config-file.ts'
import type { AdminApi } from './admin/contract.ts'
import { AdminGate } from './admin/http/admin-gate.ts'
import { AdminServer } from './admin/http/admin-server.ts'
import { AdminToken } from './admin/http/admin-token.ts'
import { ConsoleCookie } from './admin/http/console-cookie.ts'
import { ConsoleFiles } from './admin/http/console-files.ts'
import type { AdminHost } from './admin/admin-host.ts'
import { localApi } from './admin/local-api.ts'
import { Door, logRefusals } from './front/door.ts'
import type { OnRefused } from './identity/refusal.ts'
import type { BoundAddress } from './front/bound-address.ts'
import { consoleAddress, localUrl, publicUrl } from './front/addresses.ts'
import { Front, type FrontOptions } from './front/front.ts'
import { Gateway } from './gateway.ts'
import { KeptKeys } from './identity/keys/kept-keys.ts'
import type { Portal } from './identity/portal/portal.ts'
import { LazyAccounts } from './identity/vault/lazy-accounts.ts'
import {
  currentPlaces,
  type Loaded,
  type LoadOptions,
  type RawConfig,
  type ServerOverrides,
  type UserPlaces,
} from './config/index.ts'
import { recordRefusals } from './admin/audit/audit-watch.ts'
import type { OpenedTrail } from './audit/index.ts'
import { RuleWatch } from './chain/policy/rule-watch.ts'
import type { GatewayModel } from './model/index.ts'
import { announceState } from './state/announce-state.ts'
import { openState, type State } from './state/open-state.ts'
import { vaultKeys } from './state/vault-keys.ts'
import { isPersonal } from './targets/personal.ts'
import { createLog, type Log, type LogLevel, type LogOptions, type Verbosity } from './telemetry/log.ts'
import { loadTracer } from './telemetry/load-tracer.ts'
import { LogRing } from './telemetry/log-ring.ts'
import { StderrLog } from './telemetry/stderr-log.ts'
import { SecretScrubber } from './telemetry/secret-scrubber.ts'

export interface StartOptions {
  readonly model: GatewayModel
  readonly embedded?: ReadonlyMap<string, Served>
  /** Instead of the configured level. */
  readonly logLevel?: LogLevel
  /** Instead of the configured format. */
  readonly logFormat?: LogOptions['format'] | undefined
  /** Tries the following ports when the first is taken. */
  readonly searchPort?: boolean
  /** The file that the model came from: it is followed, and the console can edit it. */
  readonly source?: ConfigSource | undefined
  /** The configuration as JSON when it came from no file. */
  readonly memoryConfig?: string | undefined
  /** What is served, for people who look for this gateway. */
  readonly serves?: string | undefined
  /** Of the embedding program, when it came from no file. */
  readonly places?: UserPlaces | undefined
}

export interface ConfigSource {
  readonly file: string
  readonly loaded: Loaded
  readonly places: UserPlaces
  readonly overrides: ServerOverrides
  /** Whether the user has accepted what the file says now. Absent when all of its changes are followed. */
  readonly isAccepted?: LoadOptions['isAccepted']
}

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
  /** Calls under way may take `server.shutdownGrace` to end, or as long as is given here. */
  close(options?: { grace?: number }): Promise<void>
}

type HostFacts = Pick<AdminHost, 'version' | 'startedAt' | 'places' | 'overrides' | 'memoryConfig'>

const PORTS_TO_TRY = 20
const COMMAND_LINE = { caller: { principal: 'command line', auth: undefined, role: 'admin' as const } }

/** The only wiring: model → targets, catalog, relay → front, and the admin API beside them. */
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
  const door = await Door.create(model, { keys, onRefused, store: state.store, log: gateway.log })
  let served: AdminServer | undefined
  const webhook = new ApprovalWebhook(gateway)
  const portal = lazyPortal(gateway, accounts, door)
  const front = new Front({
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
  const configFile = options.source && new ConfigFile({ ...options.source, gateway })
  const token = bound.loopback ? await loadToken(gateway, state) : undefined
  const announce = (): Promise<() => Promise<void>> =>
    announceState(gateway, state.isKept, {
      // A certificate is for the name that clients use.
      url: model.server.tls ? url : local,
      token: token?.value,
      serves: options.serves,
      version: version(),
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
    log: ring,
    front,
    url,
    configFile,
    renewToken: token && renewToken,
  })
  const cookie = new ConsoleCookie(state.sealer, url)
  const adminServer = new AdminServer({
    handlers: admin.handlers,
    gate: new AdminGate({
      token,
      cookie,
      guard: () => door.guard,
      roles: () => gateway.model.auth.roles,
      onRefused,
    }),
    cookie,
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
    api: localApi(admin.handlers, { ...COMMAND_LINE, toJson: (value) => gateway.scrubber.toJson(value) }),
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
    async close({ grace } = {}) {
      gateway.log('info', 'The gateway stops', { underWay: gateway.view.running.length })
      await forget()
      door.close()
      await portal.close()
      await configFile?.close()
      await admin.close()
      await front.close(grace)
      await gateway.close()
      await accounts.close()
      await gateway.tracer?.close()
      await audit?.close()
      await state.store.close()
      gateway.log('info', 'The gateway has stopped')
    },
  }
}

export interface LocalGateway {
  readonly api: AdminApi
  close(): Promise<void>
}

/** The gateway without a port, for commands that find none running: what they need is started for them. */
export async function openLocalGateway(options: StartOptions): Promise<LocalGateway> {
  const local = { ...options, model: lazily(options.model) }
  const { gateway, state, ring, audit, accounts } = await createGateway(local)
  await gateway.load()
  const { host, port, loopback } = options.model.server
  const url = publicUrl(options.model) ?? localUrl(options.model, { address: host, port, loopback })
  const configFile = options.source && new ConfigFile({ ...options.source, gateway })
  const keys = new KeptKeys(state.store)
  const admin = new Admin({
    ...hostFacts(options),
    gateway,
    keys,
    log: ring,
    front: undefined,
    url,
    configFile,
  })
  return {
    api: localApi(admin.handlers, { ...COMMAND_LINE, toJson: (value) => gateway.scrubber.toJson(value) }),
    async close() {
      await admin.close()
      await gateway.close()
      await accounts.close()
      await audit?.close()
      await state.store.close()
    },
  }
}

/** One command mostly needs one target: the others are not started just to see whether their lists have changed. */
function lazily(model: GatewayModel): GatewayModel {
  return { ...model, targets: model.targets.map((target) => ({ ...target, start: 'lazy' as const })) }
}

async function createGateway(
  options: StartOptions,
  isTraced = false,
): Promise<{
  gateway: Gateway
  state: State
  ring: LogRing
  audit: OpenedTrail | undefined
  verbosity: Verbosity
  accounts: LazyAccounts
}> {
  const { model, embedded } = options
  const { log, scrubber, ring, verbosity } = openLog(model, options.logLevel, undefined, options.logFormat)
  const state = await openState(model, log)
  const tracer = isTraced
    ? await loadTracer({ model, env: process.env, version: version(), log, scrubber })
    : undefined
  const audit = model.audit && (await openAudit(model, log, scrubber))
  const accounts: LazyAccounts = new LazyAccounts({
    store: state.store,
    keys: vaultKeys(model, state.isKept && state.store.kind !== 'memory', log),
    learnSecret: (value) => scrubber.learn(value),
    log,
    dropped: (change) => {
      for (const target of gateway.targets) {
        if (isPersonal(target.model) && (!change || change.target === target.name)) {
          void target.forget(change?.principal)
        }
      }
    },
  })
  const gateway: Gateway = new Gateway({
    model,
    accounts,
    sealer: state.sealer,
    store: state.store,
    scrubber,
    log,
    version: version(),
    tracer,
    audit: audit?.trail,
    ...(embedded && { embedded }),
  })
  gateway.observers.add(new StderrLog(log))
  return { gateway, state, ring, audit, verbosity, accounts }
}

/** The page of people's accounts, loaded with its first visitor, where a target has such accounts. */
function lazyPortal(
  gateway: Gateway,
  accounts: LazyAccounts,
  door: Door,
): { handle: NonNullable<FrontOptions['portal']>; close(): Promise<void> } {
  let loaded: Promise<Portal> | undefined
  const load = async (): Promise<Portal> => {
    const { Portal: Loaded } = await import('./identity/portal/portal.ts')
    return new Loaded({
      accounts,
      store: gateway.store,
      log: gateway.log,
      guard: () => door.guard,
      signIn: () => door.signIn,
      targets: (auth) =>
        gateway.targets
          .filter(({ model }) => model.enabled && model.credentials.kind === 'user')
          .filter((target) => gateway.mayKnow(target, { auth }))
          .map(({ model }) => model),
    })
  }
  return {
    handle(request, response, path) {
      if (path !== '/connect' && !path.startsWith('/connect/')) return false
      if (!gateway.targets.some(({ model }) => isPersonal(model))) return false
      loaded ??= load()
      loaded.then((portal) => portal.handle(request, response, path)).catch(() => response.destroy())
      return true
    },
    close: async () => (await loaded?.catch(() => undefined))?.close(),
  }
}

/** Loaded only where a trail is kept. */
async function openAudit(model: GatewayModel, log: Log, scrubber: SecretScrubber): Promise<OpenedTrail> {
  const { openTrail } = await import('./audit/open-trail.ts')
  return openTrail({
    settings: model.audit!,
    stateDir: model.stateDir,
    product: { name: model.server.name, version: version() },
    clean: (text) => scrubber.scrubText(text),
    log,
  })
}

/** The log of a gateway with this configuration, and what takes secrets out of its lines. */
export function openLog(
  model: GatewayModel,
  level: LogOptions['level'] = model.telemetry.logLevel,
  scrubber: SecretScrubber = new SecretScrubber(model),
  format: LogOptions['format'] = model.telemetry.logFormat,
): { log: Log; scrubber: SecretScrubber; ring: LogRing; verbosity: Verbosity } {
  const scrub = (text: string): string => scrubber.scrubText(text)
  const ring = new LogRing()
  const verbosity = { debug: false }
  return { log: createLog({ level, format, scrub, ring, verbosity }), scrubber, ring, verbosity }
}

function hostFacts({ source, memoryConfig, places }: StartOptions): HostFacts {
  return {
    version: version(),
    startedAt: Date.now(),
    places: source?.places ?? places ?? currentPlaces(),
    overrides: source?.overrides ?? {},
    memoryConfig: memoryConfig ?? '{}',
  }
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

export function version(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

export interface DemoSource {
  readonly config: RawConfig
  readonly embedded: Map<string, Served>
}

/** The demo's configuration and the server that runs in this process. Loaded only when it is wanted. */
export async function loadDemo(): Promise<DemoSource> {
  const { demoConfig } = await import('./demo/demo-config.ts')
  return demoConfig()
}

export { readRecording } from './targets/recording/recording.ts'
