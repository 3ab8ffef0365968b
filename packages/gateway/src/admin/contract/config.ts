import type { DiffHunk, JsonObject, Timestamp } from './common.ts'

export interface ConfigStatus {
  /** Absent when the configuration was made in memory. */
  readonly file?: string
  readonly loadedAt: Timestamp
  /** Set while the file is not usable: the last good configuration is in use. */
  readonly rejected?: { readonly at: Timestamp; readonly problems: readonly ConfigProblem[] }
}

export interface ConfigText {
  readonly file?: string
  readonly format: 'jsonc' | 'yaml'
  /** The file with each written secret masked as `••••3••••`; a mask sent back stands for its secret. */
  readonly text: string
  /** Changes whenever the file does. */
  readonly revision: string
  readonly writable: boolean
  readonly status: ConfigStatus
  readonly problems: readonly ConfigProblem[]
}

export interface ConfigProblem {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly fix?: string
  /** Counted from 1, in the text with masks. */
  readonly line: number
  readonly column: number
  /** Characters that are meant. */
  readonly length: number
  /** Such as `mcpServers.github.args[0]`. */
  readonly path: string
}

export interface EditedConfig {
  readonly text: string
  /** The revision that was edited. */
  readonly revision: string
}

export interface ConfigCheck {
  readonly ok: boolean
  readonly problems: readonly ConfigProblem[]
  /** Against the file, masks in both. */
  readonly diff: readonly DiffHunk[]
  /** The effects of applying it. Absent when it cannot be used. */
  readonly effects?: ConfigEffects
}

export interface ConfigEffects {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly {
    readonly name: string
    readonly keys: readonly string[]
    /** Whether its connections are made anew. */
    readonly reconnect: boolean
  }[]
  readonly untouched: readonly string[]
  /** Parts besides the targets that are different: `server`, `policy`, … */
  readonly sections: readonly string[]
  /** Changes that need a restart of the gateway to take effect, in words. */
  readonly needsRestart: readonly string[]
}

/** Answer to everything that writes the file. Refusals are `invalid` (problems) and `conflict` (the text now). */
export interface ConfigSaved {
  readonly revision: string
  readonly effects: ConfigEffects
  readonly warnings: readonly ConfigProblem[]
  readonly backup?: string
  /** Names of targets that were written, for requests about targets. */
  readonly target?: string
}

/** A file that was in use. */
export interface ConfigVersion {
  readonly id: string
  /** Since when. */
  readonly at: Timestamp
  /** The person or key that saved it here; absent when another program changed the file. */
  readonly by?: string
  /** The file says the same now. */
  readonly isCurrent: boolean
}

/** `GET /api/config/versions`: the last files that were in use. */
export interface ConfigVersions {
  /** The revision of the file now. */
  readonly revision: string
  /** Newest first. */
  readonly versions: readonly ConfigVersion[]
}

/** `GET /api/config/versions/{id}`: what going back to it would do. */
export interface ConfigVersionDetail {
  readonly id: string
  readonly at: Timestamp
  readonly by?: string
  /** The revision of the file that it would replace. */
  readonly revision: string
  readonly check: ConfigCheck
}

/** `GET /api/config/schema`: JSON Schema 2020-12 of the configuration file. */
export type ConfigSchema = JsonObject
