import { isDeepYaml, MAX_DEPTH, parseJson } from '@gantry/mcp/foreign'
import { Lexer, parse as parseYaml } from 'yaml'

/** Parses JSON or YAML. JSON is tried first: it is a hundred times faster. */
export function parseDocument(text: string): unknown {
  const start = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const looksLikeJson = /^\s*[[{]/.test(start)
  let jsonError: unknown
  if (looksLikeJson) {
    try {
      return parseJson(start)
    } catch (error) {
      jsonError = error
    }
  }
  if (isDeepYaml(start, (source) => new Lexer().lex(source))) {
    throw jsonError ?? new SyntaxError(`the text has more than ${MAX_DEPTH} levels`)
  }
  try {
    // The alias limit stops "billion laughs"; the trip through JSON refuses cycles and copies values.
    const value = parseYaml(start, { maxAliasCount: 100, logLevel: 'error', merge: true })
    return parseJson(JSON.stringify(value ?? null))
  } catch (error) {
    throw jsonError ?? error
  }
}
