import { writeJson } from '@gantry/mcp/exchange'
import { isSecretName, REDACTED, reveal, Secret, spellingsOf, type Text } from '../../../model/index.ts'

/** Too short to be a secret worth hiding: replacing every `a` would only destroy the message. */
const LEAST_CHARACTERS = 6

/** Takes the credentials of a target out of its API's answers: APIs echo requests. */
export class Redactor {
  readonly #secrets: readonly string[]
  readonly #pattern: RegExp | undefined

  constructor(secrets: readonly string[]) {
    this.#secrets = [...new Set(secrets)].filter((secret) => secret.length >= LEAST_CHARACTERS)
    const spellings = [...new Set(this.#secrets.flatMap(spellingsOf))].sort((a, b) => b.length - a.length)
    this.#pattern = spellings.length > 0 ? new RegExp(spellings.map(literally).join('|'), 'gi') : undefined
  }

  text(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, REDACTED) : text
  }

  /** JSON and what it says. The text is written anew when it hides a secret behind escapes such as `\u0041`. */
  json(text: string, value: unknown): { text: string; value: unknown } {
    const clean = this.text(text)
    if (clean === text && !text.includes('\\')) return { text, value }
    const cleanValue = this.value(value)
    return cleanValue === value && clean === text
      ? { text, value }
      : { text: writeJson(cleanValue), value: cleanValue }
  }

  /** The same value where nothing has to be hidden. */
  value<T>(value: T): T
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (this.#pattern === undefined || typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = value.map((item) => this.value(item))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    // Numbers that are kept as they were written are objects as well.
    if (Object.getPrototypeOf(value) !== Object.prototype) return value
    const members = Object.entries(value).map(
      ([name, member]) => [this.text(name), this.value(member)] as const,
    )
    const before = Object.entries(value)
    const isSame = members.every(([name, member], at) => name === before[at]![0] && member === before[at]![1])
    return isSame ? value : Object.fromEntries(members)
  }

  /** In a file the secret is overwritten, so that the rest stays where it is. */
  bytes(bytes: Uint8Array): Uint8Array {
    const found = this.#secrets.filter((secret) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(secret),
    )
    if (found.length === 0) return bytes
    const copy = Buffer.from(bytes)
    for (const secret of found) {
      const { length } = Buffer.from(secret)
      for (let at = copy.indexOf(secret); at !== -1; at = copy.indexOf(secret, at))
        copy.fill('*', at, at + length)
    }
    return copy
  }
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

/** Configured headers that are secrets: they refer to a secret, or have the name of one. */
export function secretHeaders(headers: Readonly<Record<string, Text>>): string[] {
  return Object.entries(headers)
    .filter(([name, text]) => isSecretName(name) || (text instanceof Secret && text.label !== REDACTED))
    .flatMap(([, text]) => [reveal(text).trim(), ...reveal(text).trim().split(/\s+/)])
}
