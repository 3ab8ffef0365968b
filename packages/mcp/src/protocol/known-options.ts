import { McpError } from '../jsonrpc/index.ts'

/**
 * Refuses unknown options. A misspelt option would be ignored silently: a server could be open, or a question never
 * reach its user.
 */
export function requireKnownOptions(what: string, known: object, options: object): void {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key))
  if (unknown === undefined) return
  const all = Object.keys(known).join(', ')
  throw new McpError('invalid_config', `A ${what} has no option "${unknown}"; its options are ${all}`)
}
