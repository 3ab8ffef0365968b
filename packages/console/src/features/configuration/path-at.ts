import { parseJson } from '../../api/json.ts'
/** Where the cursor is in a document. */
export interface Place {
  /** Keys from the top; items of lists are `*`. */
  readonly path: readonly string[]
  readonly wants: 'key' | 'value'
  /** Where the word under the cursor begins, with its quote. */
  readonly from: number
  readonly isQuoted: boolean
}

interface Level {
  readonly isArray: boolean
  key: string
  /** After the colon, in objects. */
  inValue: boolean
}

/** JSON with comments, whole or not: only what stands before the cursor counts. */
export function jsonPlaceAt(text: string, offset: number): Place {
  const levels: Level[] = []
  let index = 0
  let word = offset
  while (index < offset) {
    const char = text[index]!
    const level = levels.at(-1)
    const end = skip(text, index)
    if (end > offset && char === '"') return place(levels, index, true)
    if (char === '"') {
      if (level && !level.isArray && !level.inValue) level.key = unquote(text.slice(index, end))
      word = offset
    } else if (char === '{' || char === '[') levels.push({ isArray: char === '[', key: '', inValue: false })
    else if (char === '}' || char === ']') levels.pop()
    else if (char === ':' && level) level.inValue = true
    else if (char === ',' && level) level.inValue = false
    word = /[\w.-]/.test(char) && end === index + 1 ? Math.min(word, index) : offset
    index = end
  }
  return place(levels, word, false)
}

function place(levels: readonly Level[], from: number, isQuoted: boolean): Place {
  const last = levels.at(-1)
  const wants = last && !last.isArray && !last.inValue ? 'key' : 'value'
  const inner = levels.map((level) => (level.isArray ? '*' : level.key))
  return { path: wants === 'key' ? inner.slice(0, -1) : inner, wants, from, isQuoted }
}

/** The end of the text or comment that begins here, or the next character. */
function skip(text: string, index: number): number {
  const rest = text.slice(index, index + 2)
  if (rest === '//') return endOr(text, text.indexOf('\n', index))
  if (rest === '/*') return endOr(text, text.indexOf('*/', index + 2) + 2, 2)
  if (rest[0] !== '"') return index + 1
  for (let at = index + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
    else if (text[at] === '\n') return at
  }
  return text.length + 1
}

function endOr(text: string, end: number, least = 0): number {
  return end < least ? text.length + 1 : end
}

function unquote(text: string): string {
  try {
    return parseJson(text) as string
  } catch {
    return text.slice(1, -1)
  }
}

/** YAML in its block form, which is how configuration is written. */
export function yamlPlaceAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n')
  const line = before.pop()!
  const own = /^(\s*(?:- )*)(?:([^\s:#][^:#]*):\s+)?(["']?)([^"'#]*)$/.exec(line)
  const dashes = own?.[1] ?? ''
  const key = own?.[2]?.trim()
  const word = own?.[4] ?? ''
  const path = parents(before, dashes.length)
  if (dashes.includes('-')) path.push('*')
  const from = offset - word.length - (own?.[3]?.length ?? 0)
  const isQuoted = own?.[3] !== ''
  if (key !== undefined) return { path: [...path, key], wants: 'value', from, isQuoted }
  return { path, wants: 'key', from, isQuoted }
}

function parents(lines: readonly string[], indent: number): string[] {
  const path: string[] = []
  let limit = indent
  for (const line of [...lines].reverse()) {
    const match = /^(\s*)((?:- )*)([^\s:#-][^:#]*):(?:\s|$)/.exec(line)
    const dash = /^(\s*)- /.exec(line)
    const column = match ? match[1]!.length + match[2]!.length : undefined
    if (match && column! < limit) {
      path.unshift(match[3]!.trim().replace(/^["']|["']$/g, ''))
      limit = match[1]!.length
      if (match[2] !== '') path.unshift('*')
    } else if (dash && dash[1]!.length < limit && dash[1]!.length + 2 <= indent) {
      path.unshift('*')
      limit = dash[1]!.length
    }
    if (limit === 0) break
  }
  return path
}
