import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Served } from '@gantry/mcp/exchange'
import { serveStdio } from '@gantry/mcp/server/node'
import { Admin } from './admin/admin.ts'
import { ConfigFile } from './admin/config/config-file.ts'
import type { AdminApi } from './admin/contract.ts'
import { AdminGate } from './admin/http/admin-gate.ts'
import { AdminServer } from './admin/http/admin-server.ts'
import { ConsoleFiles } from './admin/http/console-files.ts'
import type { AdminHost } from './admin/admin-host.ts'
import { localApi } from './admin/local-api.ts'
import { Door, logRefusals } from './front/door.ts'
import type { BoundAddress } from './front/bound-address.ts'
import { Front } from './front/front.ts'
import { Gateway } from './gateway.ts'
import {
  currentPlaces,
  removeStateFile,
  writeStateFile,
  type GatewayState,
  type Loaded,
  type RawConfig,
  type ServerOverrides,
  type UserPlaces,
} from './config/index.ts'
import type { GatewayModel } from './model/index.ts'
import { openState, type State } from './state/open-state.ts'
import { createLog, type LogLevel } from './telemetry/log.ts'
import { SecretScrubber } from './telemetry/secret-scrubber.ts'

export interface StartOptions {
  readonly model: GatewayModel
  readonly embedded?: ReadonlyMap<string, Served>
  /** Instead of the configured level. */
  readonly logLevel?: LogLevel
  /** Tries the following ports when the first is taken. */
  readonly searchPort?: boolean
  /** The file that the model came from: it is followed, and the console can edit it. */
  readonly source?: ConfigSource | undefined
  /** The configuration as JSON when it came from no file. */
  readonly memoryConfig?: string | undefined
  /** What is served, for people who look for this gateway. */
  readonly serves?: string | undefined
  /** Of whoever runs it, when it came from no file. */
  readonly places?: UserPlaces | undefined
}

export interface ConfigSource {
  readonly file: string
  readonly loaded: Loaded
  readonly places: UserPlaces
  readonly overrides: ServerOverrides
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
  /** Tells load balancers to send nothing more, and goes on serving until they had time to notice. */
  drain(): Promise<void>
  /** Calls under way may take `server.shutdownGrace` to end, or as long as is given here. */
  close(options?: { grace?: number }): Promise<void>
}

type HostFacts = Pick<AdminHost, 'version' | 'startedAt' | 'places' | 'overrides' | 'memoryConfig'>

const PORTS_TO_TRY = 20
const COMMAND_LINE = { caller: { principal: 'command line', auth: undefined } }

/** The only wiring: model → targets, catalog, relay → front, and the admin API beside them. */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const { model } = options
  const { gateway, state } = await createGateway(options)
  const onRefused = logRefusals(gateway.log)
  const door = await Door.create(model, onRefused)
  let served: AdminServer | undefined
  const front = new Front({
    gateway,
    door,
    admin: (request, response, path) => served?.handle(request, response, path) ?? false,
  })
  // The first client to come finds what the last run knew.
  await gateway.load()
  const bound = await listen(front, model, options.searchPort ?? false)
  const local = localUrl(model, bound)
  const url = publicUrl(model) ?? local
  const configFile = options.source && new ConfigFile({ ...options.source, gateway })
  const admin = new Admin({ ...hostFacts(options), gateway, front, url, configFile })
  const adminToken = bound.loopback ? randomBytes(24).toString('base64url') : undefined
  const adminServer = new AdminServer({
    handlers: admin.handlers,
    gate: new AdminGate({ token: adminToken, guard: () => door.guard, onRefused }),
    console: model.server.console ? new ConsoleFiles() : undefined,
    toJson: (value) => gateway.scrubber.toJson(value),
    onError: (error) => gateway.log('error', `The admin API failed: ${String(error)}`),
  })
  served = adminServer
  door.follow(() => adminServer.recheck())
  gateway.observers.add({
    modelChanging: (next) => door.setModel(next),
    policyChanged: () => front.recheck(),
  })
  await admin.load()
  gateway.start()
  await configFile?.follow()
  // Commands on this machine need no way round by the proxy.
  gateway.log('info', 'The gateway listens', { address: bound.address, port: bound.port })
  const forget = await announceState(gateway, state, {
    url: local,
    token: adminToken,
    serves: options.serves,
  })
  return {
    gateway,
    front,
    url,
    bound,
    consoleUrl: model.server.console ? consoleAddress(url, adminToken) : undefined,
    adminToken,
    api: localApi(admin.handlers, { ...COMMAND_LINE, toJson: (value) => gateway.scrubber.toJson(value) }),
    serveStdio: (signal) =>
      serveStdio(gateway.endpoint()!, {
        stopTimeout: gateway.model.server.shutdownGrace,
        unread: front.meter.answers,
        onCutOff: ({ message }) => gateway.log('error', `On standard input and output: ${message}`),
        ...(signal && { signal }),
      }),
    async drain() {
      front.drain()
      await sleep(gateway.model.server.drainDelay)
    },
    async close({ grace } = {}) {
      gateway.log('info', 'The gateway stops', { underWay: gateway.view.running.length })
      await forget()
      await configFile?.close()
      await admin.close()
      await front.close(grace)
      await gateway.close()
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
  const { gateway, state } = await createGateway({ ...options, model: lazily(options.model) })
  await gateway.load()
  const { host, port, loopback } = options.model.server
  const url = publicUrl(options.model) ?? localUrl(options.model, { address: host, port, loopback })
  const configFile = options.source && new ConfigFile({ ...options.source, gateway })
  const admin = new Admin({ ...hostFacts(options), gateway, front: undefined, url, configFile })
  return {
    api: localApi(admin.handlers, { ...COMMAND_LINE, toJson: (value) => gateway.scrubber.toJson(value) }),
    async close() {
      await admin.close()
      await gateway.close()
      await state.store.close()
    },
  }
}

/** One command mostly needs one target: the others are not started just to see whether their lists have changed. */
function lazily(model: GatewayModel): GatewayModel {
  return { ...model, targets: model.targets.map((target) => ({ ...target, start: 'lazy' as const })) }
}

async function createGateway(options: StartOptions): Promise<{ gateway: Gateway; state: State }> {
  const { model, embedded } = options
  const { logLevel, logFormat } = model.telemetry
  const scrubber = new SecretScrubber(model)
  const log = createLog({
    level: options.logLevel ?? logLevel,
    format: logFormat,
    scrub: (text) => scrubber.scrubText(text),
  })
  const state = await openState(model, log)
  const gateway = new Gateway({
    model,
    sealer: state.sealer,
    store: state.store,
    scrubber,
    log,
    version: version(),
    ...(embedded && { embedded }),
  })
  return { gateway, state }
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

/** Commands find the gateway by a file in its state folder. One that cannot be written costs only that. */
async function announceState(
  { model, log }: Gateway,
  { isKept }: State,
  facts: { url: string; token: string | undefined; serves: string | undefined },
): Promise<() => Promise<void>> {
  const { pid } = process
  // What is undefined does not get into the file.
  const state = { ...facts, pid, version: version(), startedAt: Date.now() } as GatewayState
  await writeStateFile(model.stateDir, state).catch((error) => {
    // Once is enough for a folder that cannot be used at all.
    if (isKept) log('warn', `Commands will not find this gateway: ${String(error)}`)
  })
  return () => removeStateFile(model.stateDir, pid)
}

function publicUrl({ server }: GatewayModel): string | undefined {
  return server.publicUrl?.replace(/\/+$/, '')
}

/** How programs on this machine reach it. */
function localUrl({ server }: GatewayModel, { address, port }: BoundAddress): string {
  const isAnyAddress = ['0.0.0.0', '::'].includes(address)
  const host = isAnyAddress ? '127.0.0.1' : server.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Fragments are never sent anywhere: the token stays between this terminal and the page. */
function consoleAddress(url: string, token: string | undefined): string {
  return `${url}/console/${token === undefined ? '' : `#token=${token}`}`
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
