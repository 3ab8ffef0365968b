import { McpError, type JsonObject } from '../jsonrpc/index.ts'
import { type FormsOf, isRevision, requireKnownOptions, REVISIONS, type Revision } from '../protocol/index.ts'

export interface ExceptionContext {
  toolName?: string
  promptName?: string
  resourceUri?: string
  arguments?: unknown
  request: { method: string; params: JsonObject }
}

/** Filled while a request runs, handed out when it ended. */
export interface InstrumentationData {
  method: string
  duration?: number
  toolName?: string
  toolArguments?: unknown
  promptName?: string
  resourceUri?: string
  error?:
    | 'tool_not_found'
    | 'prompt_not_found'
    | 'resource_not_found'
    | 'invalid_params'
    | 'internal_error'
    | (string & {})
  clientName?: string
  [key: string]: unknown
}

export interface ConfigurationOptions {
  /** Gets what handlers throw. Without one it is printed on stderr; `() => {}` keeps it quiet. */
  exceptionReporter?: ((thrown: unknown, context: ExceptionContext) => void) | undefined
  instrumentationCallback?: ((data: InstrumentationData) => void) | undefined
  /** Wraps the handler, so that a span can enclose it. */
  aroundRequest?: (<T>(data: InstrumentationData, next: () => Promise<T>) => Promise<T>) | undefined
  /** Pins the revision that servers speak; `null` takes the pin away. */
  protocolVersion?: Revision | null | undefined
}

const CONFIGURATION_OPTIONS: FormsOf<ConfigurationOptions> = {
  exceptionReporter: 1,
  instrumentationCallback: 1,
  aroundRequest: 1,
  protocolVersion: 1,
}

/** Settings of one server. For settings that it leaves unset, the global settings hold. */
export class Configuration implements ConfigurationOptions {
  exceptionReporter: ConfigurationOptions['exceptionReporter']
  instrumentationCallback: ConfigurationOptions['instrumentationCallback']
  aroundRequest: ConfigurationOptions['aroundRequest']
  #protocolVersion: Revision | null | undefined

  constructor(options: ConfigurationOptions = {}) {
    requireKnownOptions('configuration', CONFIGURATION_OPTIONS, options)
    this.exceptionReporter = options.exceptionReporter
    this.instrumentationCallback = options.instrumentationCallback
    this.aroundRequest = options.aroundRequest
    this.protocolVersion = options.protocolVersion
  }

  get protocolVersion(): Revision | null | undefined {
    return this.#protocolVersion
  }

  set protocolVersion(version: Revision | null | undefined) {
    if (version !== undefined && version !== null && !isRevision(version)) {
      throw new McpError(
        'bad_version',
        `Unsupported protocol version "${String(version)}"; supported: ${REVISIONS.join(', ')}`,
      )
    }
    this.#protocolVersion = version
  }
}

const global = /* @__PURE__ */ new Configuration()

export function configure(change: (configuration: Configuration) => void): void {
  change(global)
}

export function globalConfiguration(): Configuration {
  return global
}

/** Looks up at use, so that `configure` also reaches servers made before. */
export function setting<K extends 'exceptionReporter' | 'instrumentationCallback' | 'aroundRequest'>(
  own: Configuration,
  key: K,
): Configuration[K] {
  return own[key] ?? global[key]
}

/** How many failures are remembered as printed. */
const MOST_PRINTED = 1000

/** Prints errors for authors who set no reporter: what failed, where, and why. Repeated errors are printed once. */
export function exceptionPrinter(): NonNullable<ConfigurationOptions['exceptionReporter']> {
  const printed = new Set<string>()
  return (thrown, { toolName, promptName, resourceUri, request }) => {
    const name = toolName ?? promptName ?? resourceUri
    const asked = request.method === 'unknown' ? 'A request' : request.method
    const where = name === undefined ? asked : `${request.method} ${JSON.stringify(name)}`
    const failure = `${where} failed: ${thrown instanceof Error ? thrown.message : typeof thrown}`
    if (printed.has(failure)) return
    if (printed.size === MOST_PRINTED) printed.clear()
    printed.add(failure)
    console.error(`${where} failed:`, thrown)
  }
}
