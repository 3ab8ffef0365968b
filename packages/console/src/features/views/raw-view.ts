/** A view as the file has it, as far as the form knows it. What it does not know stays as it is. */
export interface RawView {
  readonly use?: readonly string[]
  readonly title?: string
  readonly instructions?: string
  readonly who?: { readonly apiKeys?: readonly string[]; readonly [other: string]: unknown }
  readonly tools?: Readonly<Record<string, RawEntry>>
  readonly prompts?: Readonly<Record<string, RawEntry>>
  readonly [other: string]: unknown
}

export interface RawEntry {
  readonly name?: string
  readonly title?: string
  readonly description?: string
  readonly parameters?: Readonly<Record<string, RawParameter>>
  readonly [other: string]: unknown
}

export interface RawParameter {
  readonly fixed?: unknown
  readonly default?: unknown
  readonly rename?: string
  readonly description?: string
  readonly [other: string]: unknown
}

/** With another value of a member; an empty one takes the member out. */
export function withMember<T extends object>(whole: T, member: keyof T & string, value: unknown): T {
  const { [member]: _, ...rest } = whole
  return (isEmpty(value) ? rest : { ...whole, [member]: value }) as T
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '') return true
  if (value === null || typeof value !== 'object') return false
  return Object.keys(value).length === 0
}

/** Without lines that are still empty. */
export function toSave(view: RawView): RawView {
  return withMember(
    view,
    'use',
    view.use?.map((one) => one.trim()).filter((one) => one !== ''),
  )
}

type EntryList = 'tools' | 'prompts'

export function entryOf(view: RawView, list: EntryList, key: string): RawEntry {
  return view[list]?.[key] ?? {}
}

export function withEntry(view: RawView, list: EntryList, key: string, entry: RawEntry): RawView {
  return withMember(view, list, withMember({ ...view[list] }, key, entry))
}

export function withParameter(entry: RawEntry, name: string, parameter: RawParameter): RawEntry {
  return withMember(entry, 'parameters', withMember({ ...entry.parameters }, name, parameter))
}
