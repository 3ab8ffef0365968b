export interface HandshakeMessage {
  readonly at: number
  readonly direction: 'in' | 'out'
  readonly message: unknown
}

export interface RecordedStep {
  readonly name: string
  readonly at: number
  endedAt: number | undefined
  detail: string | undefined
  readonly messages: HandshakeMessage[]
  failure: { readonly thrown: unknown } | undefined
}

/** Something unusual that did not stop the handshake, such as text on stdout. */
export interface HandshakeWarning {
  readonly at: number
  readonly thrown: unknown
}

const MAX_MESSAGES = 60
const MAX_WARNINGS = 20

/** The steps of making a connection, read off the messages themselves. */
export class Handshake {
  readonly startedAt: number = Date.now()
  readonly steps: RecordedStep[] = []
  readonly warnings: HandshakeWarning[] = []
  /** Whether the handshake is under way and reads messages. */
  active = true
  /** Hears of every step as it begins: logs show them too. */
  onBegin: ((name: string, detail: string | undefined) => void) | undefined
  readonly #changed: () => void
  #messages = 0
  /** A late answer to an earlier question is not the answer to `initialize`. */
  #initializeId: unknown

  constructor(changed: () => void = () => {}) {
    this.#changed = changed
  }

  get current(): RecordedStep | undefined {
    const last = this.steps.at(-1)
    return last?.endedAt === undefined ? last : undefined
  }

  /** Ends the step under way and begins the next. */
  begin(name: string, detail?: string): void {
    this.end()
    this.steps.push({ name, at: Date.now(), endedAt: undefined, detail, messages: [], failure: undefined })
    this.onBegin?.(name, detail)
    this.#changed()
  }

  /**
   * Called when a wire is opened. The first wire belongs to the step under way; each further wire is a step of its own.
   */
  opening(kind: string): void {
    if (this.steps.at(-1)?.name === 'spawn' || this.steps.at(-1)?.name === 'connect') return
    if (kind === 'stdio') this.begin('spawn', 'again: it did not survive the question')
    else this.begin('connect', kind === 'sse' ? 'with HTTP+SSE, the old transport' : 'again')
  }

  end(detail?: string): void {
    const { current } = this
    if (!current) return
    current.endedAt = Date.now()
    if (detail !== undefined) current.detail = detail
  }

  fail(thrown: unknown): void {
    const step = this.current ?? this.steps.at(-1)
    if (step) {
      step.endedAt ??= Date.now()
      step.failure = { thrown }
    }
    this.active = false
    this.#changed()
  }

  /** The connection is up; what crosses from now on is not part of this. */
  succeed(detail: string): void {
    this.begin('ready', detail)
    this.end()
    this.active = false
    this.#changed()
  }

  warn(thrown: unknown): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push({ at: Date.now(), thrown })
  }

  seen(direction: 'in' | 'out', message: unknown): void {
    const { method, id } = message as { method?: unknown; id?: unknown }
    if (direction === 'out' && method === 'server/discover') this.begin('probe')
    else if (direction === 'out' && method === 'initialize') {
      this.#initializeId = id
      this.begin('initialize')
    } else if (direction === 'out' && method === 'notifications/initialized') this.begin('initialized')
    else if (direction === 'in' && this.current?.name === 'initialize' && id === this.#initializeId) {
      if (method === undefined) this.begin('response')
    }
    if (this.#messages++ < MAX_MESSAGES) this.current?.messages.push({ at: Date.now(), direction, message })
  }
}
