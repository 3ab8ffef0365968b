import { McpError } from '../../jsonrpc/index.ts'
import { cutText } from '../../protocol/index.ts'
import { ReportLimit, reportSafely } from '../reports.ts'

/** How much of a line that cannot be understood is shown in the report about it. */
const EXCERPT_LENGTH = 200

/** Reports about unusable lines in one second. The next report says how many were left out. */
const MAX_REPORTS = 100

type FaultCode = 'parse_failed' | 'bad_response'

export interface LineFaultsOptions {
  /** Names the server. */
  key: string
  /** Joined to the details of every error: what the server last wrote to stderr, for instance. */
  facts(): Record<string, unknown>
  /** Reports useless messages of a server: noise, answers without a request, lines over the limit. */
  onProtocolError?: ((error: McpError) => void) | undefined
}

/** Reports the lines of a server that cannot be used. */
export class LineFaults {
  readonly #options: LineFaultsOptions
  readonly #limit = new ReportLimit(MAX_REPORTS)

  constructor(options: LineFaultsOptions) {
    this.#options = options
  }

  report(code: FaultCode, what: string, line: string, cause?: unknown): void {
    if (this.#options.onProtocolError === undefined) return
    const suppressed = this.#limit.take()
    if (suppressed === undefined) return
    this.tell(this.error(code, what, line, { cause, more: suppressed > 0 ? { suppressed } : {} }))
  }

  error(
    code: FaultCode,
    what: string,
    line: string,
    { cause, more }: { cause?: unknown; more?: Record<string, unknown> } = {},
  ): McpError {
    const excerpt = cutText(line, EXCERPT_LENGTH)
    const { key, facts } = this.#options
    const details = { ...facts(), ...more, line: excerpt }
    return new McpError(code, `${key} ${what}: ${excerpt}`, { cause, details })
  }

  tell(error: McpError): void {
    reportSafely(this.#options.onProtocolError, error)
  }
}
