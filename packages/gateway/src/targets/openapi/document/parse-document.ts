import { isDeepYaml, MAX_DEPTH, parseJson } from '@gantry/mcp/foreign'
import { Lexer, parse as parseYaml } from 'yaml'

/**
 * JSON or YAML to plain values. JSON is tried first: it is a hundred times faster than YAML, which matters for
 * descriptions of ten megabytes.
 */
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
    // The limit on aliases stops "billion laughs"; the round trip through JSON rejects values that contain
    // themselves and turns shared values into separate ones.
    const value = parseYaml(start, { maxAliasCount: 100, logLevel: 'error', merge: true })
    return parseJson(JSON.stringify(value ?? null))
  } catch (error) {
    throw jsonError ?? error
  }
}
