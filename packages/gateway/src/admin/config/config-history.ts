import { createHash } from 'node:crypto'
import { isJsonObject } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import type { Row, Rows, Store } from '../../store/index.ts'
import { ApiError } from '../api-error.ts'
import type { ConfigSaved, ConfigVersion, ConfigVersionDetail, ConfigVersions } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import { authorOf } from './author-of.ts'
import { readOnly, type ConfigEditor } from './config-editor.ts'

interface Kept {
  readonly at: number
  readonly by?: string
  readonly text: string
}

/** Older versions are deleted. */
const MOST = 50
/** Digits of a time, so that keys sort like times. */
const DIGITS = 15

/** The configuration files that were in use, with their secrets and therefore encrypted. */
export class ConfigHistory {
  readonly #rows: Rows
  readonly #editor: ConfigEditor
  readonly #onError: (error: unknown) => void
  #writing: Promise<void> = Promise.resolve()

  constructor(store: Store, editor: ConfigEditor, onError: (error: unknown) => void) {
    this.#rows = store.rows({ name: 'config-versions', secret: true })
    this.#editor = editor
    this.#onError = onError
  }

  /** The file was taken into use; the newest version may be it already. */
  async seen(): Promise<void> {
    const { file, source } = await this.#editor.current()
    if (file !== undefined) await this.add(file, source)
  }

  /** `by`: who has written it here; undefined for a file that was changed elsewhere. */
  add(file: string, text: string, by?: string): Promise<void> {
    this.#writing = this.#writing.then(() => this.#add(file, text, by)).catch(this.#onError)
    return this.#writing
  }

  async #add(file: string, text: string, by: string | undefined): Promise<void> {
    const rows = await this.#list(file)
    const newest = rows.at(-1)
    const last = newest && keptOf(newest)
    const isKnown = last?.text === text
    if (isKnown && (by === undefined || last.by !== undefined)) return
    const at = isKnown ? last.at : Math.max(Date.now(), (last?.at ?? 0) + 1)
    const version: Kept = { at, ...(by !== undefined && { by }), text }
    await this.#rows.put(keyOf(file, String(at)), JSON.stringify(version))
    for (const { key } of rows.slice(0, Math.max(rows.length + 1 - MOST, 0))) await this.#rows.remove(key)
  }

  /** Oldest first. */
  #list(file: string): Promise<Row[]> {
    return this.#rows.list({ prefix: keyOf(file, ''), limit: MOST + 1 })
  }

  /** Newest first. */
  async list(): Promise<ConfigVersions> {
    const { file, source, revision } = await this.#editor.current()
    if (file === undefined) return { revision, versions: [] }
    await this.#writing
    const versions = (await this.#list(file)).flatMap((row): ConfigVersion[] => {
      const kept = keptOf(row)
      if (!kept) return []
      const { at, by, text } = kept
      return [{ id: String(at), at, isCurrent: text === source, ...(by !== undefined && { by }) }]
    })
    return { revision, versions: versions.reverse() }
  }

  /** Returns the effects of going back to a version. */
  async detail(id: string): Promise<ConfigVersionDetail> {
    const { at, by, text } = await this.#find(id)
    const { revision, check } = await this.#editor.checkSource(text)
    return { id, at, ...(by !== undefined && { by }), revision, check }
  }

  async restore(id: string, revision: string, by: string): Promise<ConfigSaved> {
    const { text } = await this.#find(id)
    return this.#editor.replace(text, revision, by)
  }

  async #find(id: string): Promise<Kept> {
    const { file } = await this.#editor.current()
    if (file === undefined) throw readOnly()
    const row = await this.#rows.get(keyOf(file, id))
    const kept = row && keptOf(row)
    if (kept) return kept
    throw new ApiError('not_found', 'This version of the configuration is not kept', {
      fix: `The last ${MOST} are. Load the list again.`,
    })
  }
}

/** Several gateways may share a store, each with a file of its own. */
function keyOf(file: string, id: string): string {
  const folder = createHash('sha256').update(file).digest('hex').slice(0, 16)
  return `${folder}/${id === '' ? '' : id.padStart(DIGITS, '0')}`
}

function keptOf({ value }: Row): Kept | undefined {
  const kept = parseJson(value)
  const isKept = isJsonObject(kept) && typeof kept.text === 'string' && typeof kept.at === 'number'
  return isKept ? (kept as unknown as Kept) : undefined
}

export function versionHandlers(
  history: ConfigHistory,
): Pick<Handlers, 'configVersions' | 'configVersion' | 'restoreConfig'> {
  return {
    configVersions: () => history.list(),
    configVersion: ({ params }) => history.detail(params.id),
    restoreConfig: ({ params, body, caller }) => history.restore(params.id, body.revision, authorOf(caller)),
  }
}
