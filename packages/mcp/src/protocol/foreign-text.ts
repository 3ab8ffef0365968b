import { MAX_DEPTH } from '../jsonrpc/index.ts'

/** `new URL` for texts from outside: undefined when it is no URL. */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Splits any HTTP request target into path and query; `new URL` would fail for `//` or `*`. */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const at = target.indexOf('?')
  return at === -1
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, at), query: new URLSearchParams(target.slice(at + 1)) }
}

/** The last word of a text. When it is longer than a thousand characters, only those are taken away. */
const LAST_WORD = /[^\s"'`=&,;:<>(){}[\]]{1,1000}$/

/** Cuts a long text after a whole word, because half of a secret would not be recognised as a secret. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most)
  const word = LAST_WORD.exec(cut.slice(-1000))
  // Written anew: a part of a text keeps the whole of it in memory.
  return JSON.parse(JSON.stringify(`${word ? cut.slice(0, most - word[0].length) : cut}…`)) as string
}

/** Spaces and the marks that may follow one another on one line: each level of a block takes at least one of them. */
const LONG_LEAD = /* @__PURE__ */ new RegExp(`^(?: |[-?:](?= )){${MAX_DEPTH + 1}}`, 'm')

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
