import { randomInt } from 'node:crypto'
import { REDACTED } from '../model/index.ts'

/** One way to write a secret. Only its hash is kept. */
interface Spelling {
  readonly length: number
  /** Of all its characters, by two ways of counting. */
  readonly one: number
  readonly two: number
  /** Of its last characters: that is how it is found. */
  readonly tail: number
  /** Of its first characters: texts may be cut in the middle of it. */
  readonly head: number
  readonly label: string
  /** Whose it is, where others are not to be kept from its text. */
  readonly owner: string | undefined
}

export interface SearchOptions {
  /** Spellings of others are left alone; absent: all are found. */
  readonly owner?: string | undefined
  /** The text is JSON, and stays valid: what is found lies within one text of it. */
  readonly isJson?: boolean
}

export interface SecretIndexOptions {
  /** Shorter spellings cannot be found. */
  readonly shortest: number
  /** Found only where no letter, digit or dash stands beside it. */
  readonly isWord?: boolean
  /** The oldest that were learned are forgotten beyond this. */
  readonly most: number
}

interface Found {
  readonly start: number
  end: number
  readonly label: string
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const WORD_CHARACTER = /[\w-]/
/** Odd, and new in each process, so that nobody can make two texts with the same hash. */
const [ONE, TWO] = [randomInt(2 ** 30) * 2 + 1, randomInt(2 ** 30) * 2 + 1]
const LEAST_BITS = 16
/** A text that was made to be slow is not compared any more: what ends like a secret is taken for it. */
const MOST_HASHED = 1_000_000
/** A word that was cut is not longer, as far as it is looked at. */
const LONGEST_WORD = 8192

/**
 * Finds any number of secrets in a text, in a time that depends only on the text: a rolling hash finds the last
 * characters of each secret (Rabin–Karp). Case does not matter.
 */
export class SecretIndex {
  readonly #options: SecretIndexOptions
  /** What a character counts when it leaves the window. */
  readonly #drop: number
  readonly #pinned = new Map<string, Spelling>()
  /** The oldest first. */
  readonly #learned = new Map<string, Spelling>()
  /** By `one`. Several have the same text when several people have typed it in. */
  readonly #byHash = new Map<number, Spelling[]>()
  /** How long the spellings are that end so, the longest first: of two, it covers the other. */
  readonly #lengths = new Map<number, number[]>()
  readonly #heads = new Set<number>()
  /** Says of most hashes at once that they belong to nothing. */
  #filter = new Uint32Array(2 ** (LEAST_BITS - 5))
  #shift = 32 - LEAST_BITS
  /** Whose lengths, heads and marks are still there: they cost a look. */
  #removed = 0

  constructor(options: SecretIndexOptions) {
    this.#options = options
    this.#drop = power(ONE, options.shortest)
  }

  get isEmpty(): boolean {
    return this.#byHash.size === 0
  }

  /** From now on the pinned secrets count as learned. */
  unpin(): void {
    for (const [key, spelling] of this.#pinned) {
      this.#learned.delete(key)
      this.#learned.set(key, spelling)
    }
    this.#pinned.clear()
    this.#forgetOldest()
  }

  /** Kept until `unpin`. */
  pin(text: string, label: string): void {
    const [key, spelling] = this.#spell(text, label)
    if (this.#pinned.has(key)) return
    this.#pinned.set(key, spelling)
    if (!this.#learned.delete(key)) this.#add(spelling)
  }

  learn(text: string, label: string, owner?: string): void {
    const [key, spelling] = this.#spell(text, label, owner)
    if (this.#pinned.has(key)) return
    const known = this.#learned.get(key)
    // The newest again.
    this.#learned.delete(key)
    this.#learned.set(key, known ?? spelling)
    if (!known) this.#add(spelling)
    this.#forgetOldest()
  }

  /** The text with labels in the place of secrets. */
  hide(text: string, options: SearchOptions = {}): string {
    const found = this.#find(text, options)
    if (found.length === 0) return text
    let clean = ''
    let from = 0
    for (const { start, end, label } of merged(found)) {
      clean += text.slice(from, start) + label
      from = end
    }
    return clean + text.slice(from)
  }

  /** Where the last word of a text begins to be the beginning of a secret; its length when it does not. */
  beginningIn(text: string): number {
    const { shortest } = this.#options
    const word = /[^\s"'\\]*$/.exec(text.slice(-LONGEST_WORD))![0]
    for (let start = text.length - word.length; start + shortest <= text.length; start++) {
      if (this.#heads.has(hashOf(text, start, start + shortest, ONE))) return start
    }
    return text.length
  }

  #spell(text: string, label: string, owner?: string): [key: string, Spelling] {
    const { shortest } = this.#options
    const { length } = text
    const [one, two] = [hashOf(text, 0, length, ONE), hashOf(text, 0, length, TWO)]
    const tail = hashOf(text, length - shortest, length, ONE)
    const head = hashOf(text, 0, shortest, ONE)
    const key = `${length} ${one} ${two} ${owner ?? ''}`
    return [key, { length, one, two, tail, head, label, owner }]
  }

  #add(spelling: Spelling): void {
    const { one, length, tail, head } = spelling
    const same = this.#byHash.get(one)
    if (same) same.push(spelling)
    else this.#byHash.set(one, [spelling])
    const lengths = this.#lengths.get(tail) ?? []
    if (!lengths.includes(length))
      this.#lengths.set(
        tail,
        [...lengths, length].sort((a, b) => b - a),
      )
    this.#heads.add(head)
    if (this.#lengths.size * 16 > this.#filter.length * 32) this.#grow()
    else this.#mark(tail)
  }

  #forgetOldest(): void {
    while (this.#learned.size > this.#options.most) {
      const [key, spelling] = this.#learned.entries().next().value!
      this.#learned.delete(key)
      const others = this.#byHash.get(spelling.one)!.filter((one) => one !== spelling)
      if (others.length > 0) this.#byHash.set(spelling.one, others)
      else this.#byHash.delete(spelling.one)
      this.#removed++
    }
    if (this.#removed > this.#options.most / 2) this.#rebuild()
  }

  #rebuild(): void {
    for (const part of [this.#byHash, this.#lengths, this.#heads]) part.clear()
    this.#filter.fill(0)
    this.#removed = 0
    for (const spelling of [...this.#pinned.values(), ...this.#learned.values()]) this.#add(spelling)
  }

  #grow(): void {
    this.#shift -= 3
    this.#filter = new Uint32Array(2 ** (32 - this.#shift - 5))
    for (const tail of this.#lengths.keys()) this.#mark(tail)
  }

  #mark(hash: number): void {
    const bit = Math.imul(hash, 0x9e3779b1) >>> this.#shift
    this.#filter[bit >>> 5]! |= 1 << (bit & 31)
  }

  #find(text: string, { owner, isJson = false }: SearchOptions): Found[] {
    const { shortest } = this.#options
    const found: Found[] = []
    if (this.isEmpty || text.length < shortest) return found
    const codes = folded()
    const [filter, shift, drop] = [this.#filter, this.#shift, this.#drop]
    let hash = 0
    /** Where the text of JSON begins that a character belongs to; -1 between texts. */
    let opened = isJson ? -1 : 0
    /** Characters that are still to come of `\n` or `\u0041`. */
    let escaped = 0
    const search = { owner, isJson, opened, left: MOST_HASHED + text.length * 16 }
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      hash = (Math.imul(hash, ONE) + codes[code]!) | 0
      if (at >= shortest) hash = (hash - Math.imul(codes[text.charCodeAt(at - shortest)]!, drop)) | 0
      if (isJson) {
        if (opened < 0) {
          if (code === QUOTE) opened = at + 1
          continue
        }
        if (escaped > 0) escaped--
        else if (code === BACKSLASH) escaped = text.charCodeAt(at + 1) === LETTER_U ? 5 : 1
        else if (code === QUOTE) opened = -1
        if (escaped > 0 || opened < 0) continue
      }
      const bit = Math.imul(hash, 0x9e3779b1) >>> shift
      if ((filter[bit >>> 5]! & (1 << (bit & 31))) === 0) continue
      search.opened = opened
      const spelling = this.#endingAt(text, at + 1, hash, search)
      if (spelling) found.push({ start: at + 1 - spelling.length, end: at + 1, label: spelling.label })
    }
    return found
  }

  #endingAt(
    text: string,
    end: number,
    hash: number,
    search: SearchOptions & { opened: number; left: number },
  ): { readonly length: number; readonly label: string } | undefined {
    const { owner, isJson, opened } = search
    for (const length of this.#lengths.get(hash) ?? []) {
      const start = end - length
      if (start < opened || (isJson && isInEscape(text, start, opened))) continue
      search.left -= length
      if (search.left < 0) return { length, label: REDACTED }
      const two = hashOf(text, start, end, TWO)
      const found = this.#byHash
        .get(hashOf(text, start, end, ONE))
        ?.find((one) => one.length === length && one.two === two && isFor(one, owner))
      if (found && (!this.#options.isWord || isWordAt(text, start, end))) return found
    }
    return undefined
  }
}

function isFor(spelling: Spelling, owner: string | undefined): boolean {
  return owner === undefined || spelling.owner === undefined || spelling.owner === owner
}

/** Places that overlap are joined, with the label of the place that begins first. */
function merged(found: Found[]): Found[] {
  const all: Found[] = []
  for (const one of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = all.at(-1)
    if (last && one.start < last.end) last.end = Math.max(last.end, one.end)
    else all.push(one)
  }
  return all
}

/** Whether a position lies in the middle of `\n` or `\u0041`. */
function isInEscape(text: string, start: number, opened: number): boolean {
  for (let back = 1; back <= 5 && start - back >= opened; back++) {
    if (text.charCodeAt(start - back) !== BACKSLASH) continue
    let before = 0
    while (start - back - before > opened && text.charCodeAt(start - back - before - 1) === BACKSLASH)
      before++
    if (before % 2 === 1) return false
    return back === 1 || text.charCodeAt(start - back + 1) === LETTER_U
  }
  return false
}

function isWordAt(text: string, start: number, end: number): boolean {
  return !WORD_CHARACTER.test(text[start - 1] ?? '') && !WORD_CHARACTER.test(text[end] ?? '')
}

function hashOf(text: string, start: number, end: number, factor: number): number {
  const codes = folded()
  let hash = 0
  for (let at = start; at < end; at++) hash = (Math.imul(hash, factor) + codes[text.charCodeAt(at)]!) | 0
  return hash
}

function power(base: number, exponent: number): number {
  let result = 1
  for (let count = 0; count < exponent; count++) result = Math.imul(result, base)
  return result
}

let table: Uint16Array | undefined

/** Each character as a small letter. Made when there is a secret to look for. */
function folded(): Uint16Array {
  table ??= Uint16Array.from({ length: 2 ** 16 }, (_, code) => {
    const small = String.fromCharCode(code).toLowerCase()
    return small.length === 1 ? small.charCodeAt(0) : code
  })
  return table
}
