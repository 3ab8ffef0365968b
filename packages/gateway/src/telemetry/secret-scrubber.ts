import { principalKey, writeJson, type Principal } from '@gantry/mcp/exchange'
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
import { SecretIndex, type SearchOptions } from './secret-index.ts'

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
/** How many spellings are kept of secrets that came at run time: enough for about seventy thousand tokens. */
const MOST_LEARNED = 500_000
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

/** Whose a secret is, and which target it is for. */
export interface SecretOwner {
  readonly principal: Principal
  readonly target: string
}

/** Removes configured secrets from text that leaves the gateway. Harmless values of `env` stay. */
export class SecretScrubber {
  /** Secrets of earlier configurations, whose targets may still be ending, and secrets that came at run time are learned. */
  readonly #long = new SecretIndex({ shortest: SHORTEST, most: MOST_LEARNED })
  /** Short secrets may be ordinary words. Only errors and the log leave such words out. */
  readonly #words = new SecretIndex({ shortest: SHORTEST_WORD, isWord: true, most: MOST_LEARNED })
  /** Whether there is nothing to look for. A plain member: calls look at it. */
  isEmpty = true
  /** What the model holds, in all spellings. */
  #configured = new Set<string>()

  constructor(model: GatewayModel) {
    this.setModel(model)
  }

  setModel(model: GatewayModel): void {
    this.#long.unpin()
    this.#words.unpin()
    this.#configured = new Set()
    for (const found of findSecrets(model, '', false)) this.#add(found)
    for (const value of model.targets.flatMap(writtenDown)) this.#hide(value, REDACTED)
  }

  /**
   * A secret that came at run time, such as an access token. A secret that a person typed in has an owner: it is hidden
   * from operators, and does not change answers to other people.
   */
  learn(value: string, owner?: SecretOwner): void {
    if (value.length < SHORTEST) return
    const key = owner && keyOf(owner)
    for (const spelling of spellingsOf(value)) {
      if (spelling.length >= SHORTEST_WORD) this.#indexFor(spelling).learn(spelling, REDACTED, key)
    }
  }

  /** Takes secrets out of JSON that a caller gets. Those that others have typed in stay. */
  hideFor(owner: SecretOwner | undefined, json: string): string {
    return this.#long.hide(json, { owner: keyOf(owner), isJson: true })
  }

  #indexFor(spelling: string): SecretIndex {
    this.isEmpty = false
    // A number in JSON has no quotes: it is replaced as a whole.
    return spelling.length >= SHORTEST && !/^[\d.]+$/.test(spelling) ? this.#long : this.#words
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
    for (const spelling of spellingsOf(value)) {
      if (spelling.length < SHORTEST_WORD) continue
      this.#configured.add(spelling)
      this.#indexFor(spelling).pin(spelling, spelling === value ? label : inJson)
    }
  }

  /** Takes configured secrets, and keys of a well-known form, out of a text. */
  scrub(text: string, options: SearchOptions = {}): string {
    // Blocks first: their lines are secrets too, and a block without its lines is not recognised.
    const known = this.#long.hide(hideKeys(text), options)
    return known.includes(CUT) ? this.#withoutBeginnings(known) : known
  }

  /**
   * A value as JSON without secrets; the JSON stays valid. `hide` removes more from texts, as far as they are searched.
   * With `owner` the text is for that person, and secrets that others typed in stay; without it the text is for
   * operators.
   */
  toJson(value: unknown, hide?: (text: string) => string, owner?: SecretOwner | 'nobody'): string {
    const of = owner && keyOf(owner === 'nobody' ? undefined : owner)
    let left = MAX_SEARCHED
    const clean = (part: string): string => {
      if (PLAIN_WORD.test(part)) return part
      // The longest goes first: words, and what looks like a credential, may be a part of a secret only.
      const text = this.scrubWords(this.scrub(part, { owner: of }), of)
      const searched = hide ? text.slice(0, left) : ''
      left -= searched.length
      return searched === '' ? text : hide!(searched) + text.slice(searched.length)
    }
    return this.scrub(
      writeJson(value, (_key, part: unknown) =>
        typeof part === 'number'
          ? this.scrubWords(String(part), of) === String(part)
            ? part
            : REDACTED
          : withTexts(part, clean),
      ),
      { owner: of, isJson: true },
    )
  }

  /** Takes short secrets out of a text. */
  scrubWords(text: string, owner?: string): string {
    return this.#words.hide(text, { owner })
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
    for (const value of this.#configured) {
      const secret = value.toLowerCase()
      for (let length = Math.min(secret.length - 1, piece.length); length >= SHORTEST_WORD; length--) {
        if (lower.endsWith(secret.slice(0, length))) return piece.slice(0, -length) + REDACTED
      }
    }
    const start = this.#long.beginningIn(piece)
    return start < piece.length ? piece.slice(0, start) + REDACTED : piece
  }

  /** Takes configured secrets, and whatever else looks like a credential, out of plain text. */
  scrubText(text: string): string {
    return hideCredentials(this.scrubWords(this.scrub(text)))
  }
}

/** Nobody in particular owns nothing. */
function keyOf(owner: SecretOwner | undefined): string {
  return owner ? JSON.stringify([principalKey(owner.principal), owner.target]) : ''
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

function looksLikeSecret(text: string): boolean {
  if (hideCredentials(text) !== text) return true
  return /^[\w.~+=-]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !/^[\d.:-]+$/.test(text)
}
