import type { ClientId } from './clients.ts'
import type { ListChange } from './point-client.ts'
import type { ReadClientFile, ServerList } from './read-client-file.ts'

export interface ImportOptions {
  /** None means all. */
  readonly clients?: readonly ClientId[] | undefined
  /** One file instead of the places where clients keep theirs. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Whether the clients are to use the gateway from now on. */
  readonly point?: boolean | undefined
  /** Pointing touches files of the user only, unless this says so: projects are shared with others. */
  readonly pointProjects?: boolean | undefined
  /** The command that runs Gantry here, for clients that spawn it; without it, `npx -y gantry`. */
  readonly launcher?: readonly [string, ...string[]] | undefined
}

/** The plan of an import; nothing has been written. */
export interface ImportPlan {
  readonly to: string
  readonly sources: readonly ReadClientFile[]
  readonly items: readonly ImportItem[]
  readonly changes: readonly FileChange[]
  readonly notes: readonly string[]
}

export interface ImportItem {
  readonly name: string
  readonly client: ClientId
  readonly file: string
  readonly list: ServerList
  readonly outcome: 'added' | 'same' | 'skipped'
  readonly as: string | undefined
  readonly reason: string | undefined
  readonly notes: readonly string[]
}

export interface FileChange {
  readonly file: string
  readonly role: 'config' | 'client'
  /** Undefined when the file does not exist yet. */
  readonly before: string | undefined
  readonly after: string
  readonly lists: readonly ListChange[]
}

export type PlanResult =
  | { readonly ok: true; readonly plan: ImportPlan }
  | { readonly ok: false; readonly reason: string }
