import { writeJson } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import {
  credentialsIn,
  displayArgs,
  hideCredentials,
  hideKeys,
  isSecretSetting,
  REDACTED,
  reveal,
  Secret,
  spellingsOf,
  type GatewayModel,
  type TargetModel,
} from '../model/index.ts'
import { withTexts } from './redacting.ts'

interface Found {
  readonly secret: Secret
  readonly name: string
  /** Whether it is an HTTP header, a security scheme, a key… */
  readonly isCredential: boolean
}

const CREDENTIAL_HOLDERS = new Set([
  ...['sealingKeys', 'schemes', 'auth', 'oauth', 'credentials', 'introspection', 'otlp'],
])
/** Shorter values would be found in the middle of ordinary words, and among the keys of JSON. */
const SHORTEST = 8
/** Spellings of earlier secrets that are found anywhere in a text. Older ones are found where they stand as a word. */
const MAX_EARLIER = 1000
/** Words that are kept: the tokens of all people whom a gateway serves in a day. Looking one up costs the same always. */
const MAX_WORDS = 500_000
/** What can be a token. */
const TOKEN_WORD = /[\w.~+/%-]{8,}={0,2}/g
/** In texts, values from this length on are found where they stand as a word of their own. */
const SHORTEST_WORD = 4
/** Values of switches, whatever the switch is called. */
const PLAIN_VALUE = /^(?:true|false|none|null|auto|default|enabled|disabled|required|\d{1,5})$/i
/** Names and kinds of things: a short secret is not looked for in them. */
const PLAIN_WORD = /^[a-z_-]*$/
/** Characters of one value that are searched for what looks like a credential: targets decide how long it is. */
const MAX_SEARCHED = 64 * 1024
/** A text is never cut more often. */
const MAX_CUTS = 100
/** What stands where a text was cut. */
const CUT = '…'

/** Removes configured secrets from text that leaves the gateway. Harmless values of `env` stay. */
export class SecretScrubber {
  /** Secrets of earlier configurations, whose targets may still be ending, and secrets that came at run time. */
  readonly #earlier = new Map<string, string>()
  /** Spellings for which the pattern has no room. */
  readonly #rest = new Set<string>()
  #labels = new Map<string, string>()
  /** Longest first. */
  #values: readonly string[] = []
  /** Finds the long ones. Short ones may be ordinary words, which only errors and the log do without. */
  #known: RegExp | undefined
  /** Takes the long ones out of a text; undefined when there are none. */
  hideKnown: ((text: string) => string) | undefined
  #words: RegExp | undefined

  constructor(model: GatewayModel) {
    this.setModel(model)
  }

  setModel(model: GatewayModel): void {
    this.#keepEarlier()
    this.#labels = new Map()
    for (const found of findSecrets(model, '', false)) this.#add(found)
    for (const value of model.targets.flatMap(writtenDown)) this.#hide(value, REDACTED)
    this.#compile()
  }

  /** A secret that came at run time, such as an access token. */
  learn(value: string): void {
    if (value.length < SHORTEST || this.#earlier.has(value)) return
    for (const spelling of spellingsOf(value)) this.#keep(spelling, REDACTED)
    this.#compile()
  }

  #compile(): void {
    const values = [...new Set([...this.#labels.keys(), ...this.#earlier.keys()])]
    values.sort((a, b) => b.length - a.length)
    this.#values = values
    // A number in JSON has no quotes: it is replaced as a whole.
    const isLong = (value: string): boolean => value.length >= SHORTEST && !/^[\d.]+$/.test(value)
    this.#known = anyOf(values.filter(isLong))
    this.hideKnown = this.#known && this.#withoutKnown
    this.#words = anyOf(
      values.filter((value) => !isLong(value)),
      String.raw`(?<![\w-])`,
      String.raw`(?![\w-])`,
    )
  }

  #keepEarlier(): void {
    for (const [value, label] of this.#labels) this.#keep(value, label)
  }

  #keep(value: string, label: string): void {
    this.#earlier.delete(value)
    this.#earlier.set(value, label)
    if (this.#earlier.size <= MAX_EARLIER) return
    const oldest = this.#earlier.keys().next().value!
    this.#earlier.delete(oldest)
    this.#rest.add(oldest)
    if (this.#rest.size > MAX_WORDS) this.#rest.delete(this.#rest.values().next().value!)
  }

  #add({ secret, name, isCredential }: Found): void {
    const value = secret.reveal()
    const isReference = secret.label !== REDACTED
    if (PLAIN_VALUE.test(value)) return
    if (!isReference && !isCredential && !isSecretSetting(name) && !looksLikeSecret(value)) return
    // `Bearer abc` is found as `abc` too, and so is the password in `postgres://user:abc@host`.
    for (const part of [value, ...wordsOf(value), ...credentialsIn(value)]) {
      this.#hide(part, part === value ? secret.label : REDACTED)
    }
  }

  /** Found as it is and in every other spelling. */
  #hide(value: string, label: string): void {
    if (value.length < SHORTEST_WORD) return
    const inJson = JSON.stringify(label).slice(1, -1)
    for (const spelling of spellingsOf(value)) this.#labels.set(spelling, spelling === value ? label : inJson)
  }

  /** Takes configured secrets, and keys of a well-known form, out of JSON or any other text; JSON stays valid. */
  scrub(text: string): string {
    // Blocks first: their lines are secrets too, and a block without its lines is not recognised.
    const open = hideKeys(text)
    const known = this.hideKnown?.(open) ?? open
    return known.includes(CUT) ? this.#withoutBeginnings(known) : known
  }

  readonly #withoutKnown = (text: string): string => {
    const clean = text.replace(this.#known!, this.#labelOf)
    return this.#rest.size === 0 ? clean : clean.replace(TOKEN_WORD, this.#withoutWord)
  }

  /** A token may stand behind a path, and before a full stop. */
  readonly #withoutWord = (word: string): string => {
    const parts = [word, word.replace(/[.~+/-]+$/, ''), ...(word.includes('/') ? word.split('/') : [])]
    const found = parts.find((part) => this.#rest.has(part))
    return found === undefined ? word : word.replace(found, () => REDACTED)
  }

  /** A value as JSON without configured secrets. `hide` takes more out of its texts, as far as they are searched. */
  toJson(value: unknown, hide?: (text: string) => string): string {
    let left = MAX_SEARCHED
    const clean = (part: string): string => {
      if (PLAIN_WORD.test(part)) return part
      const text = this.scrubWords(part)
      const searched = hide ? text.slice(0, left) : ''
      left -= searched.length
      return searched === '' ? text : hide!(searched) + text.slice(searched.length)
    }
    return this.scrub(
      writeJson(value, (_key, part: unknown) =>
        typeof part === 'number'
          ? this.#labels.has(String(part))
            ? REDACTED
            : part
          : withTexts(part, clean),
      ),
    )
  }

  /** Takes short secrets out of a text. */
  scrubWords(text: string): string {
    return this.#words ? text.replace(this.#words, this.#labelOf) : text
  }

  /** A text that was cut may end in the middle of a secret: its beginning stands before the ellipsis. */
  #withoutBeginnings(text: string): string {
    const pieces = text.split(CUT)
    const last = pieces.pop()!
    const clean =
      pieces.length > MAX_CUTS ? withoutLastWord : (piece: string): string => this.#withoutBeginning(piece)
    return pieces.map((piece) => clean(piece) + CUT).join('') + last
  }

  #withoutBeginning(piece: string): string {
    const lower = piece.toLowerCase()
    for (const value of this.#values) {
      const secret = value.toLowerCase()
      for (let length = Math.min(secret.length - 1, piece.length); length >= SHORTEST_WORD; length--) {
        if (lower.endsWith(secret.slice(0, length))) return piece.slice(0, -length) + REDACTED
      }
    }
    return piece
  }

  /** Takes configured secrets, and whatever else looks like a credential, out of plain text. */
  scrubText(text: string): string {
    return hideCredentials(this.scrubWords(this.scrub(text)))
  }

  readonly #labelOf = (value: string): string =>
    this.#labels.get(value) ?? this.#earlier.get(value) ?? REDACTED
}

function withoutLastWord(text: string): string {
  const at = text.lastIndexOf(' ') + 1
  return text.length - at < SHORTEST_WORD ? text : text.slice(0, at) + REDACTED
}

function* findSecrets(value: unknown, name: string, isCredential: boolean): Generator<Found> {
  if (value instanceof Secret) yield { secret: value, name, isCredential }
  else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      const isIndex = Array.isArray(value)
      yield* findSecrets(part, isIndex ? name : key, isCredential || CREDENTIAL_HOLDERS.has(key))
    }
  }
}

/** Credentials in plain sight: `--api-key abc`, `https://user:abc@host/?key=abc`. */
function writtenDown(target: TargetModel): string[] {
  if (target.kind === 'stdio') {
    const shown = displayArgs(target.args)
    return target.args.flatMap((arg, index) => {
      // References were found as the secrets that they are.
      if (typeof arg !== 'string') return []
      const hidden = shown[index] === arg ? [] : [arg.replace(/^--?[^=]+=/, '')]
      return [...hidden, ...credentialsIn(arg)]
    })
  }
  const url =
    target.kind === 'url' ? reveal(target.url) : target.kind === 'openapi' ? reveal(target.document) : ''
  return [...credentialsIn(url), ...(parseUrl(url)?.searchParams.values() ?? [])]
}

/** The words of a secret, and the lines of a key without those that all keys have. */
function wordsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => !line.startsWith('-----'))
  return lines.flatMap((line) => line.split(/\s+/))
}

function anyOf(values: readonly string[], before = '', after = ''): RegExp | undefined {
  if (values.length === 0) return undefined
  return new RegExp(`${before}(?:${values.map(escapePattern).join('|')})${after}`, 'gi')
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

function looksLikeSecret(text: string): boolean {
  if (hideCredentials(text) !== text) return true
  return /^[\w.~+=-]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !/^[\d.:-]+$/.test(text)
}
