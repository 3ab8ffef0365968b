/** Something that may stand at the cursor. */
export interface Completion {
  readonly label: string
  readonly detail?: string
  readonly info?: string
  /** What is written; the label if there is none. */
  readonly apply?: string
}

export interface Completions {
  /** Where the word under the cursor begins. */
  readonly from: number
  readonly options: readonly Completion[]
}

/** `isAsked`: by the keys for it, and not just because of typing. */
export type CompletionSource = (text: string, at: number, isAsked: boolean) => Completions | undefined

/** The completions that fit the word that is there. Those that begin with it come first. */
export function fitting({ from, options }: Completions, text: string, at: number): readonly Completion[] {
  const plain = (word: string) => word.replaceAll('"', '').toLowerCase()
  const word = plain(text.slice(from, at))
  const begins = options.filter(({ label }) => plain(label).startsWith(word))
  const has = options.filter(({ label }) => plain(label).indexOf(word) > 0)
  return [...begins, ...has]
}

/** Writes into a field as if it was typed, so that the browser's own undo takes it back. */
export function write(field: HTMLTextAreaElement, from: number, to: number, text: string): void {
  field.setSelectionRange(from, to)
  if (document.execCommand('insertText', false, text)) return
  field.setRangeText(text, from, to, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Where a character is on the screen, found in the coloured text behind the field. */
export function rectAt(lines: HTMLElement, text: string, at: number): DOMRect {
  const before = text.slice(0, at).split('\n')
  const line = lines.children[before.length - 1]!
  let left = before.at(-1)!.length
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { length } = node as Text
    if (left <= length) {
      const range = document.createRange()
      range.setStart(node, left)
      return range.getBoundingClientRect()
    }
    left -= length
  }
  return line.getBoundingClientRect()
}
