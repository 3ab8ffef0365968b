import { isJsonObject, McpError } from '../jsonrpc/index.ts'

/** What an option must be: in words, one of some values, or an object with options; 1 where its reader looks for itself. */
export type OptionForm =
  | 1
  | 'text'
  | 'a number'
  | 'true or false'
  | 'a function'
  | 'a list'
  | 'an object'
  | 'a list or an object'
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

function unknownName(owner: string, known: object, key: string, path = ''): string | undefined {
  if (Object.hasOwn(known, key)) return undefined
  return `${owner} has no option "${path}${key}"; its options are ${Object.keys(known).join(', ')}`
}

/** What is wrong with the options of an owner, such as `The tool "add"`; undefined when they are good. */
export function optionProblem(
  owner: string,
  forms: OptionForms,
  options: object,
  keys: readonly string[] = Object.keys(options),
  path = '',
): string | undefined {
  for (const key of keys) {
    const value = (options as Record<string, unknown>)[key]
    const problem = unknownName(owner, forms, key, path) ?? wrongValue(owner, forms[key]!, value, path + key)
    if (problem) return problem
  }
  return undefined
}

function wrongValue(owner: string, form: OptionForm, value: unknown, named: string): string | undefined {
  if (value === undefined || form === 1) return undefined
  if (typeof form !== 'string' && !isList(form))
    return isJsonObject(value) ? optionProblem(owner, form, value, undefined, `${named}.`) : undefined
  const isText = typeof form === 'string'
  if (isText ? form.includes(formOf(value)) : form.includes(value)) return undefined
  const right = isText ? form : `one of ${form.join(', ')}`
  return `${owner} takes ${right} as "${named}", not ${shown(value)}`
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
