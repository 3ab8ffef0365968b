import { MAX_DEPTH } from '../jsonrpc/index.ts'

/** Spaces and the marks that may follow one another on one line: each level of a block takes at least one of them. */
const LONG_LEAD = new RegExp(`^(?: |[-?:](?= )){${MAX_DEPTH + 1}}`, 'm')

/** Whether YAML is nested too deep. Checked before parsing: the recursive parser could end the process. */
export function isDeepYaml(text: string, lex: (text: string) => Iterable<string>): boolean {
  if (LONG_LEAD.test(text)) return true
  if (!hasManyBrackets(text)) return false
  let depth = 0
  for (const token of lex(text)) {
    if (token === '[' || token === '{') depth++
    else if (token === ']' || token === '}') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > MAX_DEPTH) return true
    }
  }
  return false
}
