import { type Duration, type Era, parseDuration, requireKnownOptions } from '../../protocol/index.ts'

export interface EraFinding {
  readonly era: Era
  readonly version: string
  /** The server speaks only the old HTTP+SSE transport. */
  readonly fallback?: boolean
  /** When it was found out, in milliseconds since 1970. */
  readonly at: number
}

export interface EraCacheOptions {
  /** How long a finding is trusted. Default one day: servers are upgraded. */
  maxAge?: Duration
  /** Findings of an earlier run, as `export()` gave them. */
  findings?: Readonly<Record<string, EraFinding>>
}

/** Remembers each server's era (2026-07-28, basic/versioning). Keys may hold secrets: keep exports safe. */
export class EraCache {
  readonly #findings = new Map<string, EraFinding>()
  readonly #maxAge: number

  constructor(options: EraCacheOptions = {}) {
    requireKnownOptions('cache of eras', { maxAge: 1, findings: 1 }, options)
    this.#maxAge = parseDuration(options.maxAge ?? '1d')
    this.import(options.findings ?? {})
  }

  get(key: string): EraFinding | undefined {
    const finding = this.#findings.get(key)
    if (!finding || Date.now() - finding.at <= this.#maxAge) return finding
    this.#findings.delete(key)
    return undefined
  }

  set(key: string, finding: EraFinding): void {
    this.#findings.set(key, finding)
  }

  delete(key: string): void {
    this.#findings.delete(key)
  }

  /** All findings as plain JSON, to be given to another process or kept for the next run. */
  export(): Record<string, EraFinding> {
    return Object.fromEntries(this.#findings)
  }

  import(findings: Readonly<Record<string, EraFinding>>): void {
    for (const [key, finding] of Object.entries(findings)) this.#findings.set(key, finding)
  }
}

/** Shared by all clients of a process that are given no other. */
export const sharedEraCache: EraCache = /* @__PURE__ */ new EraCache()
