import { McpError } from '../jsonrpc/index.ts'

/** A misspelt option would be ignored without a word: a server would be open, a question never reach its user. */
export function requireKnownOptions(what: string, known: object, options: object): void {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key))
  if (unknown === undefined) return
  const all = Object.keys(known).join(', ')
  throw new McpError('invalid_config', `A ${what} has no option "${unknown}"; its options are ${all}`)
}
