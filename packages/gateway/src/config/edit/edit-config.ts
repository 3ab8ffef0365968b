import { isSame, type RawTarget } from '../../model/index.ts'
import { type Edit, planEdits } from './plan-edits.ts'
import type { ConfigPath } from '../problem.ts'
import { parseSource } from '../document/parse-source.ts'
import type { ConfigFormat } from '../document/source-document.ts'

export type ConfigChange =
  | { readonly type: 'setTarget'; readonly name: string; readonly value: RawTarget }
  | { readonly type: 'removeTarget'; readonly name: string }
  | { readonly type: 'renameTarget'; readonly name: string; readonly to: string }
  /** Undefined takes the key out. */
  | { readonly type: 'set'; readonly path: ConfigPath; readonly value: unknown }

export type EditResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string }

type Values = Record<string, unknown>

/** Changes the text of a configuration and keeps its comments, order and form wherever it is not about them. */
export async function editConfig(
  text: string,
  format: ConfigFormat,
  change: ConfigChange,
): Promise<EditResult> {
  // Some Windows editors put a byte order mark in front; it stays there.
  if (text.startsWith('\uFEFF')) {
    const result = await editConfig(text.slice(1), format, change)
    return result.ok ? { ok: true, text: `\uFEFF${result.text}` } : result
  }
  const start = await startText(text, format)
  const source = await parseSource(start, format)
  const isEmptyYaml = format === 'yaml' && source.errors[0]?.message === 'The file is empty'
  if (source.errors.length > 0 && !isEmptyYaml) {
    return { ok: false, reason: `The file cannot be edited while it is broken: ${source.errors[0]!.message}` }
  }
  const before = (isEmptyYaml ? {} : source.value) as Values
  if (typeof before !== 'object' || before === null || Array.isArray(before)) {
    return { ok: false, reason: 'The file is not an object with keys' }
  }
  if (change.type === 'renameTarget') return renameTarget(start, format, before, change)
  const after = structuredClone(before)
  const reason = apply(after, change)
  if (reason !== undefined) return { ok: false, reason }
  return { ok: true, text: await applyEdits(start, format, planEdits(before, after), after) }
}

/** JSON needs something to put keys into. */
async function startText(text: string, format: ConfigFormat): Promise<string> {
  if (format === 'yaml') return text
  const { stripComments } = await import('jsonc-parser')
  return stripComments(text).trim() === '' ? `${text.trimEnd()}${text.trim() === '' ? '' : '\n'}{}\n` : text
}

async function applyEdits(
  text: string,
  format: ConfigFormat,
  edits: readonly Edit[],
  goal: Values,
): Promise<string> {
  if (format === 'jsonc') {
    const { editJsonc } = await import('./edit-jsonc.ts')
    return edits.reduce(editJsonc, text)
  }
  const { editYaml, reprintYaml } = await import('./edit-yaml.ts')
  try {
    const edited = edits.reduce(editYaml, text)
    // YAML has more forms than the line editor knows: trust it only when the result says what it should.
    if (isSame((await parseSource(edited, 'yaml')).value, goal)) return edited
  } catch {
    // Printed again below.
  }
  return reprintYaml(text, edits)
}

function apply(config: Values, change: Exclude<ConfigChange, { type: 'renameTarget' }>): string | undefined {
  if (change.type === 'set') return setIn(config, change.path, change.value)
  const section = sectionOf(config, change.name)
  if (change.type === 'setTarget') {
    return setIn(config, [section ?? (config.servers ? 'servers' : 'mcpServers'), change.name], change.value)
  }
  if (section === undefined) return `There is no target "${change.name}"`
  return setIn(config, [section, change.name], undefined)
}

function sectionOf(config: Values, name: string): string | undefined {
  return ['mcpServers', 'servers'].find((section) => Object.hasOwn((config[section] as object) ?? {}, name))
}

function setIn(config: Values, path: ConfigPath, value: unknown): string | undefined {
  let at: Record<string | number, unknown> = config
  for (const step of path.slice(0, -1)) {
    if (at[step] === undefined || at[step] === null) at[step] = {}
    if (typeof at[step] !== 'object') return `"${step}" is not an object with keys`
    at = at[step] as Values
  }
  const key = path.at(-1)
  if (key === undefined) return 'A path is needed'
  if (value === undefined && Array.isArray(at)) at.splice(Number(key), 1)
  else if (value === undefined) delete at[key]
  else Object.defineProperty(at, key, { value, configurable: true, enumerable: true, writable: true })
  return undefined
}

async function renameTarget(
  text: string,
  format: ConfigFormat,
  config: Values,
  { name, to }: { name: string; to: string },
): Promise<EditResult> {
  const section = sectionOf(config, name)
  if (section === undefined) return { ok: false, reason: `There is no target "${name}"` }
  if (sectionOf(config, to) !== undefined) return { ok: false, reason: `There is a target "${to}" already` }
  const path = [section, name]
  if (format === 'jsonc') {
    return { ok: true, text: (await import('./edit-jsonc.ts')).renameJsoncKey(text, path, to) }
  }
  return { ok: true, text: (await import('./edit-yaml.ts')).renameYamlKey(text, path, to) }
}
