import {
  editConfig,
  parseSource,
  type ConfigChange,
  type RawConfig,
  type RawTarget,
} from '../../config/index.ts'
import { ApiError } from '../api-error.ts'
import type { ConfigSaved, JsonObject, TargetConfig, UpdateTarget } from '../contract.ts'
import { readOnly, type ConfigEditor, type CurrentConfig } from './config-editor.ts'
import { TextPlaces } from '../../config/document/text-places.ts'

/** Entries of targets in the configuration file: shown with masks, changed with comments kept. */
export class TargetEntries {
  readonly #editor: ConfigEditor

  constructor(editor: ConfigEditor) {
    this.#editor = editor
  }

  async read(name: string): Promise<TargetConfig> {
    const { file, format, hidden, revision } = await this.#editor.current()
    const document = await parseSource(hidden.text, format)
    const config = (document.value ?? {}) as RawConfig
    const section = config.mcpServers && Object.hasOwn(config.mcpServers, name) ? 'mcpServers' : 'servers'
    const entry = (config[section]?.[name] ?? {}) as JsonObject
    const { offset } = document.locate([section, name], 'key')
    return {
      entry,
      text: await printEntry(name, entry, format),
      format,
      ...(file !== undefined && { line: new TextPlaces(hidden.text).place(offset).line, revision }),
    }
  }

  /** Writes a new target. Its entry comes as it was tried, with its secrets. */
  async add(name: string, entry: JsonObject, revision: string | undefined, by: string): Promise<ConfigSaved> {
    const current = await this.#current(revision)
    if ((await namesIn(current)).includes(name)) {
      throw new ApiError('conflict', `There is a target "${name}" already`, { fix: 'Choose another name.' })
    }
    return this.#change(current, by, name, { type: 'setTarget', name, value: entry as RawTarget })
  }

  async update(
    name: string,
    { entry, name: newName, revision }: UpdateTarget,
    by: string,
  ): Promise<ConfigSaved> {
    const current = await this.#current(revision)
    await requireTarget(current, name)
    const value = current.hidden.restoreValue(entry) as RawTarget
    const to = newName ?? name
    const set: ConfigChange = { type: 'setTarget', name: to, value }
    if (to === name) return this.#change(current, by, to, set)
    return this.#change(current, by, to, { type: 'renameTarget', name, to }, set)
  }

  async remove(name: string, revision: string | undefined, by: string): Promise<ConfigSaved> {
    const current = await this.#current(revision)
    await requireTarget(current, name)
    return this.#change(current, by, name, { type: 'removeTarget', name })
  }

  async #current(revision: string | undefined): Promise<CurrentConfig> {
    const current = await this.#editor.current()
    if (current.file === undefined) throw readOnly()
    if (revision === undefined || revision === current.revision) return current
    throw new ApiError('conflict', 'The configuration was changed elsewhere meanwhile', {
      fix: 'Load it again and repeat the change.',
      details: { text: current.hidden.text, revision: current.revision },
    })
  }

  async #change(
    current: CurrentConfig,
    by: string,
    target: string,
    ...changes: ConfigChange[]
  ): Promise<ConfigSaved> {
    let text = current.source
    for (const change of changes) {
      const edited = await editConfig(text, current.format, change)
      if (!edited.ok) throw new ApiError('invalid', edited.reason, { fix: 'Correct the file first.' })
      text = edited.text
    }
    return { ...(await this.#editor.write(text, current, { by })), target }
  }
}

async function namesIn({ source, format }: CurrentConfig): Promise<string[]> {
  const { mcpServers, servers } = ((await parseSource(source, format)).value ?? {}) as RawConfig
  return Object.keys({ ...mcpServers, ...servers })
}

async function requireTarget(current: CurrentConfig, name: string): Promise<void> {
  const names = await namesIn(current)
  if (!names.includes(name)) throw unknownTarget(name, names)
}

export function unknownTarget(name: string, known: readonly string[]): ApiError {
  const fix = known.length === 0 ? 'There are no targets yet.' : `Targets: ${known.join(', ')}.`
  return new ApiError('not_found', `There is no target "${name}"`, { fix })
}

async function printEntry(name: string, entry: JsonObject, format: 'jsonc' | 'yaml'): Promise<string> {
  if (format === 'jsonc') return `${JSON.stringify(name)}: ${JSON.stringify(entry, undefined, 2)}`
  const { stringify } = await import('yaml')
  return stringify({ [name]: entry })
}
