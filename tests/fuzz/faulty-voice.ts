import type { Message } from './honest-server.ts'
import { mutated } from './messages.ts'
import type { Random } from './random.ts'

/**
 * How a server goes wrong. `disordered`: messages are lost, doubled, cut off, mixed up and drowned in noise, but
 * one that arrives whole is as it was sent. `corrupt`: nothing can be relied upon.
 */
export type Fault = 'disordered' | 'corrupt'

/** Turns what a good server says into what a bad one sends. `frame` makes one message of text. */
export class FaultyVoice {
  readonly #random: Random
  readonly #fault: Fault
  readonly #frame: (text: string) => string

  constructor(random: Random, fault: Fault, frame: (text: string) => string) {
    this.#random = random
    this.#fault = fault
    this.#frame = frame
  }

  /** The bytes for some messages, in any order. */
  utter(messages: readonly Message[]): Uint8Array {
    const random = this.#random
    const said = messages.flatMap((message) => this.#repeat(message))
    if (random.chance(0.3)) shuffle(said, random)
    const parts = said.flatMap((message) => {
      const noise = random.chance(0.1) ? [this.#noise()] : []
      return [...noise, Buffer.from(this.#damage(this.#frame(this.#change(message))))]
    })
    return Buffer.concat(parts)
  }

  /** Lost, said once, or said again. */
  #repeat(message: Message): Message[] {
    const at = this.#random.next()
    if (at < 0.05) return []
    return at < 0.85 ? [message] : [message, message]
  }

  #change(message: Message): string {
    const isChanged = this.#fault === 'corrupt' && this.#random.chance(0.3)
    return JSON.stringify(isChanged ? mutated(message, this.#random) : message) ?? 'null'
  }

  #damage(text: string): string {
    const random = this.#random
    if (random.chance(0.05)) return this.#frame(text.slice(0, random.below(text.length - 2)))
    if (this.#fault === 'disordered' || random.chance(0.8)) return text
    const at = random.below(text.length)
    return text.slice(0, at) + random.pick(['"', '{', '}', '\\', '\u0000', '\n', 'é']) + text.slice(at + 1)
  }

  #noise(): Uint8Array {
    const random = this.#random
    const unknown = { jsonrpc: '2.0', id: `nobody-${random.below(100)}`, result: {} }
    const unasked = { jsonrpc: '2.0', id: `n${random.below(100)}`, method: 'made/up', params: {} }
    return random.pick([
      () => Buffer.concat([random.bytes(random.below(200)), Buffer.from('\n\n')]),
      () => Buffer.from(this.#frame('log: starting…')),
      () => Buffer.from(this.#frame(JSON.stringify(unknown))),
      () => Buffer.from(this.#frame(JSON.stringify(unasked))),
      () => Buffer.from(this.#frame('')),
    ])()
  }
}

function shuffle(items: unknown[], random: Random): void {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    ;[items[at], items[other]] = [items[other], items[at]]
  }
}
