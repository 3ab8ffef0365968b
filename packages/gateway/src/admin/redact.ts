import { isSecretName, REDACTED } from '../telemetry/redacting.ts'
import { displayArgs, reveal, Secret, type GatewayModel, type TargetModel } from '../model/index.ts'

interface Found {
  readonly secret: Secret
  readonly name: string
  /** Whether it is an HTTP header, a security scheme, a key… */
  readonly isCredential: boolean
}

const CREDENTIAL_HOLDERS = new Set(['sealingKeys', 'schemes', 'auth', 'oauth', 'introspection'])
const SHORTEST = 8

/**
 * Takes the values of configured secrets out of any text that leaves the gateway, wherever they turn up: a
 * server may well print its own token. What is written down in `env` without looking like a secret (a mode, a
 * folder) stays, or half of all texts would be unreadable.
 */
export class SecretScrubber {
  readonly #labels = new Map<string, string>()
  readonly #pattern: RegExp | undefined

  constructor(model: GatewayModel) {
    for (const found of findSecrets(model, '', false)) this.#add(found)
    for (const value of model.targets.flatMap(writtenDown)) this.#hide(value, REDACTED)
    const values = [...this.#labels.keys()].sort((a, b) => b.length - a.length)
    this.#pattern = values.length === 0 ? undefined : new RegExp(values.map(escapePattern).join('|'), 'g')
  }

  #add({ secret, name, isCredential }: Found): void {
    const value = secret.reveal()
    const isReference = secret.label !== REDACTED
    if (!isReference && !isCredential && !isSecretName(name) && !looksLikeToken(value)) return
    // `Bearer abc` is found as `abc` too.
    for (const part of [value, ...value.split(/\s+/)]) {
      this.#hide(part, part === value ? secret.label : REDACTED)
    }
  }

  /** Found both as it is and as JSON has it. */
  #hide(value: string, label: string): void {
    if (value.length < SHORTEST) return
    this.#labels.set(value, label)
    this.#labels.set(JSON.stringify(value).slice(1, -1), JSON.stringify(label).slice(1, -1))
  }

  scrub(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, (value) => this.#labels.get(value) ?? REDACTED) : text
  }
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
      if (typeof arg !== 'string' || shown[index] === arg) return []
      return [arg.replace(/^--?[^=]+=/, '')]
    })
  }
  if (target.kind !== 'url' || !URL.canParse(reveal(target.url))) return []
  const { password, searchParams } = new URL(reveal(target.url))
  return [password, decodeURIComponent(password), ...searchParams.values()]
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

function looksLikeToken(text: string): boolean {
  return /^[\w.~+=-]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !/^[\d.:-]+$/.test(text)
}
