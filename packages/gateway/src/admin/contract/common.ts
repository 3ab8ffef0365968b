export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: unknown }

export type Era = 'legacy' | 'modern'
export type Revision = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28'

/** Milliseconds since 1970. */
export type Timestamp = number
export type Milliseconds = number
export type Bytes = number

/** Every answer with a status of 400 and above. `fix` says what to do, where that is known. */
export interface ApiFailure {
  readonly error: ApiProblem
}

export interface ApiProblem {
  readonly code: ApiErrorCode
  readonly message: string
  readonly fix?: string
  /** For `conflict`: the text of the file now. For `invalid`: its problems. */
  readonly details?: JsonObject
}

export type ApiErrorCode =
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'bad_request'
  | 'invalid'
  | 'conflict'
  | 'too_large'
  | 'too_many'
  | 'read_only'
  | 'gone'
  | 'unavailable'
  | 'internal'

export type EntryKind = 'tool' | 'prompt' | 'resource' | 'template'

export interface DiffLine {
  readonly type: 'same' | 'added' | 'removed'
  readonly text: string
  /** Line numbers, counted from 1, where the line exists on that side. */
  readonly before?: number
  readonly after?: number
}

/** Neighbouring lines that differ, with three lines around them. */
export interface DiffHunk {
  readonly lines: readonly DiffLine[]
}

/** `GET /api/session`: who the caller is, and that its token works. */
export interface SessionInfo {
  /** `console` for the token that `serve` prints, else the caller for people to read, such as `key:ops`. */
  readonly principal: string
  /** The name of this caller: the name or address that the identity provider knows. */
  readonly name?: string
  /** The role of this caller; absent for callers that may only decide about approvals. */
  readonly role?: Role
  /** Whether a person has signed in, and can sign out. */
  readonly isPerson: boolean
  /** Present for callers with a role. */
  readonly gateway?: GatewayInfo
}

/** The rights of a caller of the admin API. `ROUTES` has the role that each route needs. */
export type Role = 'viewer' | 'operator' | 'admin'

export interface GatewayInfo {
  readonly name: string
  readonly title?: string
  readonly version: string
  readonly node: string
  readonly pid: number
  readonly platform: string
  readonly startedAt: Timestamp
  /** Where clients reach it, without a path. */
  readonly url: string
  /** The configuration file; absent when it was made in memory (the demo): nothing can be saved then. */
  readonly configFile?: string
  /**
   * Processes that act as this gateway, on all machines; absent when there is only one. Figures and lists are about all
   * of them.
   */
  readonly processes?: number
  /** Where those are that did not answer just now: what they do is missing in figures and lists. */
  readonly unheard?: readonly string[]
  /** Of all processes. */
  readonly memory: { readonly rss: Bytes; readonly heapUsed: Bytes }
}

/** `1 tool`, `2 tools`. */
export function countOf(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
