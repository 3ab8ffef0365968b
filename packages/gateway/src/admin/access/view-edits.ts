import { isJsonObject } from '@gantry/mcp/exchange'
import { editConfig, parseSource, type RawConfig } from '../../config/index.ts'
import { ApiError } from '../api-error.ts'
import type { ConfigEditor } from '../config/config-editor.ts'
import type { EditView, EntryEdit, ViewEntryText } from '../contract.ts'

/** Returns the text of the file with another entry of `views`, or without it. Writes nothing. */
export async function planViewEdit(
  editor: ConfigEditor,
  { name, view }: EditView,
): Promise<Pick<EntryEdit, 'text' | 'revision'>> {
  const { hidden, format, revision } = await editor.current()
  const value = view ?? undefined
  const views = await viewsOf(editor)
  const isLast = value === undefined && Object.keys(views).every((one) => one === name)
  const path = isLast ? ['views'] : ['views', name]
  const edited = await editConfig(hidden.text, format, { type: 'set', path, value })
  if (!edited.ok) throw new ApiError('invalid', edited.reason, { fix: 'Correct the file first.' })
  return { text: edited.text, revision }
}

/** A view as the file has it. */
export async function readView(editor: ConfigEditor, name: string): Promise<ViewEntryText> {
  const views = await viewsOf(editor)
  const view = Object.hasOwn(views, name) ? views[name] : undefined
  if (!isJsonObject(view)) throw new ApiError('not_found', `There is no view "${name}"`)
  return { view }
}

async function viewsOf(editor: ConfigEditor): Promise<Record<string, unknown>> {
  const { hidden, format } = await editor.current()
  const config = ((await parseSource(hidden.text, format)).value ?? {}) as RawConfig
  return config.views ?? {}
}
