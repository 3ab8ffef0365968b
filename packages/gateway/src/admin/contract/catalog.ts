import type { ConfigCheck } from './config.ts'
import type { DiffHunk, EntryKind, JsonObject, Timestamp } from './common.ts'
import type { EntryCounts } from './targets.ts'

/** Everything that all targets offer, without schemas: those come with one entry. */
export interface CatalogList {
  /** Grows with every change. */
  readonly generation: number
  /** As many as `limit` allows, of the target and kind that were asked for. */
  readonly entries: readonly CatalogEntry[]
  /** How many there are without the limit. */
  readonly total: number
  readonly targets: readonly CatalogTarget[]
}

export interface CatalogEntry {
  readonly kind: EntryKind
  /** The name or URI that clients use, or would use if the entry were not hidden from them. */
  readonly key: string
  /** The target's own name or URI. */
  readonly own: string
  readonly target: string
  readonly title?: string
  readonly description?: string
  readonly annotations?: JsonObject
  readonly mimeType?: string
  readonly tokens: number
  /** False when `hiddenBy` keeps it from every client. */
  readonly visible: boolean
  readonly hiddenBy?: 'exclude' | 'include' | 'policy' | 'duplicate-uri'
  /** The target that had this name first; the key carries a hash then. */
  readonly collidesWith?: string
  readonly renamed: boolean
  readonly shortened: boolean
  /** From an earlier run or a connection that is gone. */
  readonly stale: boolean
  readonly change?: { readonly type: CatalogChange['type']; readonly at: Timestamp }
  /** How many things in its definition known clients refuse or cut; absent when there are none. */
  readonly findings?: number
}

/** Something in a definition that known clients refuse or cut. */
export interface PortabilityFinding {
  /** `name-too-long`, `top-level-union`, `reference`, … */
  readonly code: string
  /** Where in the definition: `name`, `inputSchema.properties.when`. */
  readonly where: string
  readonly message: string
  /** The clients that refuse or cut it. */
  readonly clients: readonly string[]
  readonly fix?: string
}

/** `POST /api/catalog/edit`: how the configuration would show an entry. Members that are absent stay as they are. */
export interface EditEntry {
  readonly kind: EntryKind
  readonly target: string
  /** The target's own name or URI. */
  readonly own: string
  readonly enabled?: boolean
  /** Without the prefix; empty: the target's own name. Resources keep their URIs. */
  readonly name?: string
  /** Empty: the target's own text. */
  readonly description?: string
}

/** Nothing is written yet: `PUT /api/config` with this text and revision does that. */
export interface EntryEdit {
  readonly text: string
  readonly revision: string
  readonly check: ConfigCheck
}

export interface CatalogTarget {
  readonly name: string
  readonly title?: string
  readonly counts: EntryCounts
  readonly fetchedAt?: Timestamp
  readonly stale: boolean
  /** Why its lists are missing or old. */
  readonly gap?: { readonly state: 'missing' | 'stale'; readonly reason: string }
}

/** `GET /api/catalog/entry?kind=…&key=…` */
export interface CatalogEntryDetail extends CatalogEntry {
  /** As clients get it. */
  readonly definition: JsonObject
  /** As the target gave it. */
  readonly ownDefinition: JsonObject
  readonly portability: readonly PortabilityFinding[]
  /** The name and the description that the configuration gives it. */
  readonly shownAs: { readonly name?: string; readonly description?: string }
  readonly changes: readonly CatalogChange[]
}

/** A difference between two lists of a target, also across restarts of the gateway. */
export interface CatalogChange {
  /** Grows by one. Keep the last id that you saw, and ask for newer changes with it. */
  readonly id: number
  readonly at: Timestamp
  readonly target: string
  readonly kind: EntryKind
  /** The target's own name or URI. */
  readonly own: string
  readonly key: string
  readonly type: 'added' | 'removed' | 'changed'
  /** For `changed`: which members, and how. */
  readonly parts: readonly ChangedPart[]
}

export interface ChangedPart {
  /** `description`, `inputSchema`, `annotations`, … */
  readonly member: string
  /** In words: `"limit" became required`, `"path" is gone`. */
  readonly summary: readonly string[]
  readonly diff: readonly DiffHunk[]
}

export interface CatalogChanges {
  /** Newest first. */
  readonly changes: readonly CatalogChange[]
  readonly newest: number
}
