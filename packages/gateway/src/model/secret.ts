/**
 * A value that must not be printed. Logs, templates, `JSON.stringify` and `console.log` show its label: where
 * it came from (`${env:TOKEN}`) when it was referred to, `[redacted]` when it was written down.
 *
 * @example
 * const token = new Secret('abc', '${env:TOKEN}')
 * `${token}`       // ${env:TOKEN}
 * token.reveal()   // abc
 */
export class Secret {
  /** A private field: `util.inspect` does not show those. */
  readonly #value: string
  readonly label: string

  constructor(value: string, label = '[redacted]') {
    this.#value = value
    this.label = label
  }

  /** The only way to the value; keep what it returns out of messages. */
  reveal(): string {
    return this.#value
  }

  equals(other: Secret): boolean {
    return this.#value === other.#value
  }

  toString(): string {
    return this.label
  }

  toJSON(): string {
    return this.label
  }
}

/** Whether a key has so few different characters that it is easily guessed: `0000…`, or a file full of zeros. */
export function repeatsItself(key: string): boolean {
  return new Set(key).size < 8
}

/** Text that may be secret, because a part of it was referred to and not written down. */
export type Text = string | Secret

export function reveal(text: Text): string {
  return typeof text === 'string' ? text : text.reveal()
}

/** Reveals a whole map at once: what a spawned process or an HTTP request needs. */
export function revealAll(texts: Readonly<Record<string, Text>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, reveal(text)]))
}
