/** The numbers of the text that is being written, in the order in which they were met. */
let sources: string[] | undefined
let isWriting = false
let secret: string | undefined

type Replacer = (key: string, value: unknown) => unknown

/** `JSON.stringify` that writes every `JsonNumber` as it came. */
export function writeJson(value: unknown, replacer?: Replacer, space?: number): string {
  const outer = { isWriting, sources }
  isWriting = true
  sources = undefined
  try {
    const text = JSON.stringify(value, replacer, space)
    return sources === undefined ? text : restore(text, sources)
  } finally {
    isWriting = outer.isWriting
    sources = outer.sources
  }
}

export function isWritingJson(): boolean {
  return isWriting
}

/** Stands for a number until the text is written. It holds a process secret, so no peer can forge it. */
export function placeholderFor(source: string): string {
  sources ??= []
  return `${mark()}${sources.push(source) - 1}`
}

function mark(): string {
  secret ??= Array.from(crypto.getRandomValues(new Uint32Array(2)), (word) => word.toString(36)).join('')
  return `${secret}:`
}

function restore(text: string, numbers: readonly string[]): string {
  const begin = `"${mark()}`
  let restored = ''
  let from = 0
  for (let at = text.indexOf(begin); at !== -1; at = text.indexOf(begin, from)) {
    const end = text.indexOf('"', at + begin.length)
    const source = numbers[Number(text.slice(at + begin.length, end))]
    restored += text.slice(from, at) + (source ?? text.slice(at, end + 1))
    from = end + 1
  }
  return restored + text.slice(from)
}
