import { parseUrl } from '@gantry/mcp/foreign'
import {
  displayArgs,
  hideCredentials,
  isSecretName,
  REDACTED,
  reveal,
  Secret,
  type GatewayModel,
  type TargetModel,
} from '../model/index.ts'

interface Found {
  readonly secret: Secret
  readonly name: string
  /** Whether it is an HTTP header, a security scheme, a key… */
  readonly isCredential: boolean
}

const CREDENTIAL_HOLDERS = new Set(['sealingKeys', 'schemes', 'auth', 'oauth', 'introspection'])
/** Shorter values would be found in the middle of ordinary words, and among the keys of JSON. */
const SHORTEST = 8
/** In plain text, values from this length on are found where they stand as a word of their own. */
const SHORTEST_WORD = 4

/**
 * Takes the values of configured secrets out of any text that leaves the gateway, wherever they occur: a server
 * may print its own token. Values of `env` that do not look like secrets (a mode, a folder) stay readable.
 */
export class SecretScrubber {
  /** Of the model before, too: its targets may still be ending. */
  #earlier = new Map<string, string>()
  #labels = new Map<string, string>()
  #long: RegExp | undefined
  #words: RegExp | undefined

  constructor(model: GatewayModel) {
    this.setModel(model)
  }

  setModel(model: GatewayModel): void {
    this.#earlier = this.#labels
    this.#labels = new Map()
    for (const found of findSecrets(model, '', false)) this.#add(found)
    for (const value of model.targets.flatMap(writtenDown)) this.#hide(value, REDACTED)
    const values = [...new Set([...this.#labels.keys(), ...this.#earlier.keys()])]
    values.sort((a, b) => b.length - a.length)
    this.#long = anyOf(values.filter((value) => value.length >= SHORTEST))
    this.#words = anyOf(
      values.filter((value) => value.length < SHORTEST),
      String.raw`(?<![\w-])`,
      String.raw`(?![\w-])`,
    )
  }

  #add({ secret, name, isCredential }: Found): void {
    const value = secret.reveal()
    const isReference = secret.label !== REDACTED
    if (!isReference && !isCredential && !isSecretName(name) && !looksLikeToken(value)) return
    // `Bearer abc` is found as `abc` too, and so is the password in `postgres://user:abc@host`.
    for (const part of [value, ...value.split(/\s+/), ...passwordIn(value)]) {
      this.#hide(part, part === value ? secret.label : REDACTED)
    }
  }

  /** Found both as it is and as JSON has it. */
  #hide(value: string, label: string): void {
    if (value.length < SHORTEST_WORD) return
    this.#labels.set(value, label)
    this.#labels.set(JSON.stringify(value).slice(1, -1), JSON.stringify(label).slice(1, -1))
  }

  /** Takes configured secrets out of JSON, or any other text; what is left is valid JSON. */
  scrub(text: string): string {
    return this.#long ? text.replace(this.#long, this.#labelOf) : text
  }

  /** Takes configured secrets, and whatever else looks like a credential, out of plain text. */
  scrubText(text: string): string {
    const known = this.scrub(text)
    return hideCredentials(this.#words ? known.replace(this.#words, this.#labelOf) : known)
  }

  readonly #labelOf = (value: string): string =>
    this.#labels.get(value) ?? this.#earlier.get(value) ?? REDACTED
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
      return [...hidden, ...passwordIn(arg)]
    })
  }
  const url = target.kind === 'url' ? reveal(target.url) : ''
  const parsed = parseUrl(url)
  return parsed ? [...passwordIn(url), ...parsed.searchParams.values()] : []
}

/** The password in a URL, as it is written and without its percent signs. */
function passwordIn(text: string): string[] {
  const password = /:\/\/[^\s:/?#@]*:([^\s@]+)@/.exec(text)?.[1]
  if (password === undefined) return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

function anyOf(values: readonly string[], before = '', after = ''): RegExp | undefined {
  if (values.length === 0) return undefined
  return new RegExp(`${before}(?:${values.map(escapePattern).join('|')})${after}`, 'g')
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

function looksLikeToken(text: string): boolean {
  return /^[\w.~+=-]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !/^[\d.:-]+$/.test(text)
}
