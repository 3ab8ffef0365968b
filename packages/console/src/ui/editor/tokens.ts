export type Format = 'jsonc' | 'yaml'

export interface EditorProblem {
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** Counted from 1. */
  readonly line: number
  readonly column: number
  readonly length: number
}

export interface Token {
  readonly text: string
  readonly kind?: 'comment' | 'key' | 'string' | 'value'
}

// The groups are named after the kinds. A key is a text with a colon behind it, and so is looked for first.
const JSONC =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<key>"(?:\\.|[^"\\\n])*"(?=\s*:))|(?<string>"(?:\\.|[^"\\\n])*"?)|(?<value>-?\b\d[\w.+-]*|\b(?:true|false|null)\b)/g
const YAML =
  /(?<comment>(?<=^|\s)#[^\n]*)|(?<key>(?<=^[ \t]*(?:- +)*)(?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[^\s"'#:[\]{},-][^:#\n]*)(?=:(?:\s|$)))|(?<string>"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?)|(?<value>(?<=[:[,-]\s*)(?:-?\d[\w.+-]*|true|false|null|~)(?=\s*(?:$|[#,\]}])))/gm

/** What stands on each line, for its colours. Only for the eye: nothing is refused here. */
export function toLines(text: string, format: Format): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]]
  const add = (part: string, kind?: Token['kind']) => {
    for (const [index, piece] of part.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (piece !== '') lines.at(-1)!.push(kind === undefined ? { text: piece } : { text: piece, kind })
    }
  }
  let done = 0
  for (const match of text.matchAll(format === 'yaml' ? YAML : JSONC)) {
    add(text.slice(done, match.index))
    const [kind] = Object.entries(match.groups!).find(([, found]) => found !== undefined)!
    add(match[0], kind as Token['kind'])
    done = match.index + match[0].length
  }
  add(text.slice(done))
  return lines
}

/** Cuts the tokens of a line where a mark begins and ends. */
export function cut(tokens: readonly Token[], from: number, to: number): (Token & { isMarked: boolean })[] {
  let at = 0
  return tokens.flatMap((token) => {
    const start = at
    at += token.text.length
    const [first, last] = [from, to].map((edge) => Math.min(Math.max(edge - start, 0), token.text.length))
    const parts = [
      { ...token, text: token.text.slice(0, first), isMarked: false },
      { ...token, text: token.text.slice(first, last), isMarked: true },
      { ...token, text: token.text.slice(last), isMarked: false },
    ]
    return parts.filter(({ text }) => text !== '')
  })
}
