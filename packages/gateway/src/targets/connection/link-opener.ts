import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AuthProvider } from '@gantry/mcp/auth'
import { EraCache, McpError, type FetchLike, http, sse } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import {
  eraOf,
  LATEST_LEGACY,
  orAbort,
  type Connector,
  type Continuations,
  type Notification,
  type Served,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import {
  describeTarget,
  reveal,
  revealAll,
  type InProcessTarget,
  type OAuthModel,
  type StdioTarget,
  type TargetModel,
  type UrlTarget,
} from '../../model/index.ts'
import type { Store } from '../../store/index.ts'
import type { Log } from '../../telemetry/log.ts'
import { TargetTap, type WireView } from '../../telemetry/wire-view.ts'
import type { ArrivingResults } from '../fetch/arriving-results.ts'
import { inProcessLink } from '../link/in-process-link.ts'
import { LeasedContinuations, type Instance } from './instance.ts'
import type { OpenRequest } from './life.ts'
import { isLegacyKey, isSharedKey } from './pool.ts'
import { launcherOf, launcherEnvironment } from '../launchers/launcher.ts'
import { StartLimit } from '../launchers/start-limit.ts'
import type { TargetOwners } from '../link/elsewhere.ts'
import { edgeLink, type EdgeServices, type Link, type ProcessFacts } from '../link/link.ts'
import type { StartGate } from './start-gate.ts'
import { isPersonal, withPersonal, type Personal, type PersonalAccounts } from '../personal.ts'
import type { SignInOptions, TargetAuth } from '../target-auth.ts'
import { parseUrl } from '@gantry/mcp/foreign'

export interface OpenerServices {
  readonly info: Implementation
  readonly gate: StartGate
  readonly continuations: Continuations
  readonly embedded: ReadonlyMap<string, Served>
  readonly view: WireView
  readonly fetch: FetchLike
  /** Gives room to long messages of targets. */
  readonly arriving: ArrivingResults
  /** Where launchers may keep what they install. */
  readonly stateDir: string
  /** Where the accounts of people come from, for targets that are used with those. */
  readonly accounts: PersonalAccounts
  /** Where tokens are kept. */
  readonly store: Store
  readonly maxMessageBytes: number
  /** Where several gateways share the programs of targets. Read late: a gateway joins the others when it listens. */
  owners?: TargetOwners | undefined
  readonly log: Log
  /** Told of tokens as they come, so that no text shows them. */
  learnSecret(this: void, value: string): void
  /** A value as JSON without secrets. */
  toJson(this: void, value: unknown): string
}

/** What is heard of a target besides answers. */
export interface OpenerEvents {
  stderr(line: string): void
  /** What a server says that belongs to no request and no subscription. */
  notification(instance: Instance, notification: Notification): void
  /** Says more about a failure, where there is more to say. */
  explain(thrown: unknown): unknown
}

/** Opens the connections of one target, one step of bookkeeping around each. */
export class LinkOpener {
  readonly #name: string
  readonly #services: OpenerServices
  readonly #events: OpenerEvents
  /** Each target has its own: two with one command line may be of different eras, by their environment. */
  readonly #eras = new EraCache()
  #auth: Promise<TargetAuth> | undefined

  constructor(name: string, services: OpenerServices, events: OpenerEvents) {
    this.#name = name
    this.#services = services
    this.#events = events
  }

  open(model: TargetModel, request: OpenRequest<Instance>): Promise<Link> {
    const { handshake } = request
    handshake.onBegin = (step, detail) =>
      this.#services.log('info', `${this.#name}: ${step}`, { target: this.#name, detail })
    handshake.begin('queued')
    return this.#services.gate.run(() => this.#openNow(model, request), request.signal)
  }

  async #openNow(common: TargetModel, request: OpenRequest<Instance>): Promise<Link> {
    const { owners } = this.#services
    if (owners) {
      const { openHop } = await import('./open-hop.ts')
      const hop = await openHop(owners, common, request, this.#edgeServices(common, request))
      if (hop) return hop
    }
    const { instance, headers, signal } = request
    const personal = await this.#personal(common, request)
    const model = personal ? withPersonal(common, personal) : common
    const limit = new StartLimit(model, () =>
      this.#services.log('info', `${this.#name}: it is still being installed`, {
        target: this.#name,
        limitMs: model.timeouts.install,
      }),
    )
    const ended = AbortSignal.any([signal, limit.signal])
    const services = {
      ...this.#edgeServices(model, request),
      auth: personal ? personal.auth : (await this.#login(model))?.provider,
      headers,
      onStderr: (line: string) => this.#events.stderr(line),
      onProcess: (process: ProcessFacts) => limit.watch(process),
      grace: () => limit.grace,
    }
    try {
      return await openLink(
        isLegacyKey(instance.key) ? { ...model, era: eraOf(LATEST_LEGACY) } : model,
        services,
        ended,
      )
    } catch (thrown) {
      throw this.#events.explain(thrown)
    } finally {
      limit.stop()
    }
  }

  #edgeServices(model: TargetModel, { instance, handshake }: OpenRequest<Instance>): Opened & EdgeServices {
    return {
      ...this.#services,
      // What is insisted on says nothing about what the server is.
      eras: isLegacyKey(instance.key) ? new EraCache() : this.#eras,
      continuations: new LeasedContinuations(this.#services.continuations, instance.park),
      handshake,
      tap: new TargetTap(handshake, {
        view: this.#services.view,
        target: this.#name,
        advice: () => adviceFor(model),
      }),
      onNotification: (notification: Notification) => this.#events.notification(instance, notification),
      onAmbiguous: (method: string) => this.#warnAmbiguous(method, adviceFor(model)),
      onSharedQuestion: instance.sharedQuestion,
    }
  }

  /** The account of the caller; undefined where all share one, and for the connection that belongs to no caller. */
  async #personal(
    model: TargetModel,
    { instance, caller }: OpenRequest<Instance>,
  ): Promise<Personal | undefined> {
    if (!isPersonal(model)) return undefined
    // It may list what the server has to offer, with no account of anybody.
    if (isSharedKey(instance.key)) return {}
    const found = caller && (await this.#services.accounts.open(model, caller))
    if (found) return found
    throw new McpError('unauthorized', `The caller has connected no account of "${this.#name}"`)
  }

  /** The target's login, where it has one. OAuth is loaded only for those that do. */
  async #login(model: TargetModel): Promise<TargetAuth | undefined> {
    if (model.kind !== 'url' || !model.oauth) return undefined
    const target = model as UrlTarget & { oauth: OAuthModel }
    this.#auth ??= import('../target-auth.ts').then((auth) => auth.createTargetAuth(target, this.#services))
    return this.#auth
  }

  /** Logs in at the target's authorization server. Only targets with `oauth` have a login. */
  async signIn(model: TargetModel, options: SignInOptions, stopping: AbortSignal): Promise<void> {
    const auth = isPersonal(model) ? undefined : await this.#login(model)
    if (!auth) throw new McpError('unsupported', `Target "${this.#name}" has no "oauth" in the configuration`)
    // A sign-in page that is left open would keep its port, and the process, for minutes.
    const signal = AbortSignal.any([stopping, ...(options.signal ? [options.signal] : [])])
    await auth.signIn({ ...options, signal })
  }

  #warnAmbiguous(method: string, advice: string): void {
    this.#services.log(
      'warn',
      `${this.#name} sent ${method} while calls of several callers were under way, and nothing says whose it is: refused; ` +
        advice,
      { target: this.#name, method, event: 'question-refused' },
    )
  }
}

type Opened = Pick<LinkServices, 'embedded' | 'fetch' | 'arriving' | 'maxMessageBytes' | 'stateDir'>

/** What keeps the questions of callers apart. */
function adviceFor({ isolation }: TargetModel): string {
  switch (isolation) {
    case 'auto':
      return 'from now on each caller has a connection of its own, as with "isolation": "session"'
    case 'session':
      return 'from now on such calls of callers without a name have a connection each; keys tell callers apart'
    default:
      return 'set "isolation": "session" for this target, or leave "isolation" out'
  }
}

export interface LinkServices extends EdgeServices {
  /** Servers that the embedding program passes in, by module name. */
  readonly embedded: ReadonlyMap<string, Served>
  readonly fetch: FetchLike
  /** Gives room to long messages of targets. */
  readonly arriving: ArrivingResults
  readonly auth: AuthProvider | undefined
  /** Headers of the request that the connection is made for. */
  readonly headers: Record<string, string> | undefined
  readonly maxMessageBytes: number
  /** Where launchers may keep what they install. */
  readonly stateDir: string
  onStderr(line: string): void
  /** The process of a program that is being started. */
  onProcess(process: ProcessFacts): void
  /** How long the program may take to end after the end of its input, if not as long as usual. */
  grace(): number | undefined
}

/** Connects to a target; leaves nothing behind when it fails. */
export async function openLink(
  model: TargetModel,
  services: LinkServices,
  signal: AbortSignal,
): Promise<Link> {
  switch (model.kind) {
    case 'stdio':
      return edgeLink(stdioConnector(model, services), model, services, signal)
    case 'url':
      return edgeLink(
        urlConnector(model, {
          ...services,
          onProtocolError: (error) => services.handshake.warn(error),
        }),
        model,
        services,
        signal,
      )
    case 'inProcess':
      return orAbort(embeddedLink(model, services), signal)
    case 'openapi': {
      const { openApiLink } = await import('../openapi/openapi-link.ts')
      return openApiLink(model, services, signal)
    }
    case 'replay': {
      const { replayLink } = await import('../recording/replay-link.ts')
      services.handshake.begin('load', describeTarget(model))
      const link = await replayLink(model)
      services.handshake.succeed('recording')
      return link
    }
  }
}

function stdioConnector(model: StdioTarget, services: LinkServices): Connector {
  const env = revealAll(model.env)
  const places = launcherOf(model.command) ? launcherEnvironment(services.stateDir, env) : {}
  const connector = stdio({
    command: model.command,
    args: model.args.map(reveal),
    env: { ...places, ...env },
    cwd: model.cwd,
    maxLineBytes: services.maxMessageBytes,
    arrivals: services.arriving.of(`stdio ${model.name}`),
    // Read when the program is stopped.
    shutdown: {
      get end() {
        return services.grace()
      },
    },
    onStderr: (line) => services.onStderr(line),
    onProtocolError: (error) => services.handshake.warn(error),
  })
  return {
    ...connector,
    open: async (options) => {
      const wire = await connector.open(options)
      services.onProcess(wire.process)
      return wire
    },
  }
}

async function embeddedLink(model: InProcessTarget, services: LinkServices): Promise<Link> {
  services.handshake.begin('load', describeTarget(model))
  const link = await inProcessLink(await loadModule(model, services))
  services.handshake.succeed(`${link.era} ${link.version}`)
  return link
}

async function loadModule(model: InProcessTarget, services: LinkServices): Promise<Served> {
  const embedded = services.embedded.get(model.module)
  if (embedded) return embedded
  const specifier = isAbsolute(model.module) ? pathToFileURL(model.module).href : model.module
  const module = (await import(specifier)) as Record<string, unknown>
  const exported = module[model.exportName]
  const served = typeof exported === 'function' ? await exported(model.options) : exported
  if (!isServed(served)) {
    throw new McpError('invalid_config', `${model.module} does not export a server as "${model.exportName}"`)
  }
  return served
}

function isServed(value: unknown): value is Served {
  return typeof value === 'object' && value !== null && 'respond' in value && 'info' in value
}

export interface UrlServices {
  readonly fetch: FetchLike
  readonly arriving: ArrivingResults
  readonly auth: AuthProvider | undefined
  readonly maxMessageBytes: number
  /** Headers of the request that the connection is made for, where connections are not shared. */
  readonly headers: Record<string, string> | undefined
  onProtocolError(error: McpError): void
}

/** A server at a URL. What the configuration says about headers gives way to what the caller sends. */
export function urlConnector(model: UrlTarget, services: UrlServices): Connector {
  const { fetch, auth, maxMessageBytes } = services
  const url = reveal(model.url)
  const options = {
    headers: { ...lowerCase(revealAll(model.headers)), ...services.headers },
    fetch,
    maxMessageBytes,
    arrivals: services.arriving.of(parseUrl(url)?.origin ?? url),
    onProtocolError: (error: McpError) => services.onProtocolError(error),
    ...(auth && { auth }),
  }
  if (model.transport === 'sse') return sse(url, options)
  const connector = http(url, options)
  return model.transport === 'http' ? { ...connector, fallback: undefined } : connector
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
