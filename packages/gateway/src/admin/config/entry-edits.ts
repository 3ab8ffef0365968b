import { isSelectedUri } from '../../catalog/offers-uri.ts'
import {
  editConfig,
  parseSource,
  type ConfigPath,
  type RawConfig,
  type RawTarget,
} from '../../config/index.ts'
import { isSelected } from '../../model/index.ts'
import { ApiError } from '../api-error.ts'
import { objectKind } from '../catalog/catalog-lister.ts'
import type { EditEntry, EntryEdit } from '../contract.ts'
import type { ConfigEditor } from './config-editor.ts'
import { unknownTarget } from './target-entries.ts'

type Change = readonly [path: ConfigPath, value: unknown]

/** Returns the text of the file with an entry hidden, shown, renamed or described. Writes nothing. */
export async function planEntryEdit(editor: ConfigEditor, edit: EditEntry): Promise<EntryEdit> {
  const { hidden, format, revision } = await editor.current()
  const config = ((await parseSource(hidden.text, format)).value ?? {}) as RawConfig
  const section = (['mcpServers', 'servers'] as const).find((one) =>
    Object.hasOwn(config[one] ?? {}, edit.target),
  )
  if (section === undefined)
    throw unknownTarget(edit.target, Object.keys({ ...config.mcpServers, ...config.servers }))
  const entry = config[section]![edit.target]!
  let { text } = hidden
  for (const [path, value] of changesOf(entry, edit)) {
    const change = { type: 'set', path: [section, edit.target, ...path], value } as const
    const edited = await editConfig(text, format, change)
    if (!edited.ok) throw new ApiError('invalid', edited.reason, { fix: 'Correct the file first.' })
    text = edited.text
  }
  return { text, revision, check: await editor.check({ text, revision }) }
}

function changesOf(entry: RawTarget, edit: EditEntry): Change[] {
  const { own, name, description, enabled } = edit
  const list = objectKind(edit.kind)
  const texts = (member: 'rename' | 'describe', value: string | undefined): Change[] =>
    value === undefined ? [] : textChange([list, member], entry[list]?.[member] ?? {}, own, value)
  return [
    ...(enabled === undefined ? [] : shownChanges(entry, edit, enabled)),
    ...(list === 'resources' ? [] : texts('rename', name === own ? '' : name)),
    ...texts('describe', description),
  ]
}

function textChange(path: ConfigPath, known: Record<string, string>, own: string, value: string): Change[] {
  const { [own]: before, ...others } = known
  if (value !== '') return before === value ? [] : [[[...path, own], value]]
  if (before === undefined) return []
  return [[Object.keys(others).length > 0 ? [...path, own] : path, undefined]]
}

/** A pattern that hides more than this entry is left alone: people have to decide what becomes of it. */
function shownChanges(entry: RawTarget, { kind, own }: EditEntry, enabled: boolean): Change[] {
  const list = objectKind(kind)
  const { include = [], exclude = [] } = entry[list] ?? {}
  const disabled = list === 'tools' ? (entry.disabledTools ?? []) : []
  const selects = list === 'resources' ? isSelectedUri : isSelected
  if (!enabled) {
    const isShown = selects(own, { include, exclude: [...exclude, ...disabled] })
    return isShown
      ? [
          [
            [list, 'exclude'],
            [...exclude, own],
          ],
        ]
      : []
  }
  const others = (names: readonly string[]): string[] => names.filter((one) => one !== own)
  const hiding = [...others(exclude), ...others(disabled)].find(
    (pattern) => !selects(own, { include: [], exclude: [pattern] }),
  )
  if (hiding !== undefined) {
    throw new ApiError('conflict', `The pattern "${hiding}" hides "${own}" and perhaps more`, {
      fix: 'Change the pattern on the page of the configuration.',
    })
  }
  const emptied = (names: readonly string[]): string[] | undefined =>
    names.length > 0 ? [...names] : undefined
  return [
    ...(exclude.includes(own) ? [[[list, 'exclude'], emptied(others(exclude))] as const] : []),
    ...(disabled.includes(own) ? [[['disabledTools'], emptied(others(disabled))] as const] : []),
    ...(selects(own, { include, exclude: [] })
      ? []
      : [
          [
            [list, 'include'],
            [...include, own],
          ] as const,
        ]),
  ]
}
