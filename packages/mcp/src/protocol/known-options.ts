import { isJsonObject, McpError } from '../jsonrpc/index.ts'

/** The form of an option: in words, one of some values, or an object with options; 1 where its reader checks it. */
export type OptionForm =
  | 1
  | 'text'
  | 'a number'
  | 'true or false'
  | 'a function'
  | 'a list'
  | 'an object'
  | 'a list or an object'
  | typeof OR_OPTIONS
  | readonly unknown[]
  | OptionForms
export interface OptionForms {
  readonly [option: string]: OptionForm
}
/** All options of a type; the compiler finds one that is missing. */
export type FormsOf<T> = Record<keyof T, OptionForm>

/** How long clients may keep something, and who else may get it. */
export const CACHE_HINTS = { ttl: 1, cacheScope: ['public', 'private'] } as const

/**
 * Refuses unknown options and values. A misspelt option would be ignored silently: a server could be open, or a question
 * never reach its user.
 */
export function requireKnownOptions(what: string, forms: OptionForms, options: object): void {
  const problem = optionProblem(`A ${what}`, forms, options)
  if (problem) throw new McpError('invalid_config', problem)
}

/** Values that may stand in the place of options: one choice for all, or one function for several. */
const OR_OPTIONS = 'an object, a function, text, true or false'

/** The fault in the options of an owner, such as `The tool "add"`; undefined when they are good. */
export function optionProblem(
  owner: string,
  forms: OptionForms,
  options: object,
  keys: readonly string[] = Object.keys(options),
  path = '',
): string | undefined {
  for (const key of keys) {
    const named = path + key
    if (!Object.hasOwn(forms, key))
      return `${owner} has no option "${named}"; its options are ${Object.keys(forms).join(', ')}`
    const value = (options as Record<string, unknown>)[key]
    const form = forms[key]!
    const isBag = typeof form === 'object' && !isList(form)
    if (isBag && isJsonObject(value)) {
      const problem = optionProblem(owner, form, value, undefined, `${named}.`)
      if (problem) return problem
    } else if (value !== undefined && form !== 1) {
      const right = isBag ? OR_OPTIONS : form
      if (right.includes((typeof right === 'string' ? formOf(value) : value) as string)) continue
      const said = typeof right === 'string' ? right : `one of ${right.join(', ')}`
      return `${owner} takes ${said} as "${named}", not ${shown(value)}`
    }
  }
  return undefined
}

function isList(form: OptionForm): form is readonly unknown[] {
  return Array.isArray(form)
}

function formOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value === null) return 'null'
  const form = typeof value
  return (
    { string: 'text', number: 'a number', boolean: 'true or false', object: 'an object' }[form as 'string'] ??
    `a ${form}`
  )
}

/** A value as a message about it shows it. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 50)) : formOf(value)
}
