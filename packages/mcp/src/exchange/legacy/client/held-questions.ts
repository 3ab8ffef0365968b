import type { JsonRpcRequest, RequestId } from '../../../jsonrpc/index.ts'
import type { LegacyCall } from './call.ts'

interface Held {
  readonly request: JsonRpcRequest
  /** The calls that may have caused it. Those that begin later cannot have. */
  readonly candidates: Set<LegacyCall>
  readonly timer: ReturnType<typeof setTimeout>
}

export interface HeldQuestionsOptions {
  /** How long a question may wait, in ms. */
  patience: number
  /** Whether all calls have the same owner, and nothing else can have caused a question. */
  isOneOwner(calls: readonly LegacyCall[]): boolean
  /** Called when the owner of the question is clear. */
  deliver(request: JsonRpcRequest, calls: readonly LegacyCall[]): void
  /** Called when the owner can never be found out, or when it took too long. */
  refuse(request: JsonRpcRequest, calls: readonly LegacyCall[]): void
}

/** Questions that calls of several callers may have caused. They wait until only calls of one caller are left. */
export class HeldQuestions {
  readonly #options: HeldQuestionsOptions
  readonly #held = new Map<RequestId, Held>()

  constructor(options: HeldQuestionsOptions) {
    this.#options = options
  }

  add(request: JsonRpcRequest, candidates: readonly LegacyCall[]): void {
    const timer = setTimeout(() => this.#refuse([request.id]), this.#options.patience)
    timer.unref?.()
    this.#held.set(request.id, { request, candidates: new Set(candidates), timer })
    if (this.#isStuck(candidates)) this.#refuse([...this.#held.keys()])
  }

  /** A call was answered. */
  ended(call: LegacyCall): void {
    for (const [id, { request, candidates }] of this.#held) {
      if (!candidates.delete(call) || !this.#options.isOneOwner([...candidates])) continue
      this.withdraw(id)
      this.#options.deliver(request, [...candidates])
    }
  }

  /** A call that was given up may ask as long as its connection lives, so no question has a clear owner any more. */
  givenUp(call: LegacyCall): void {
    this.#refuse([...this.#held].filter(([, { candidates }]) => candidates.has(call)).map(([id]) => id))
  }

  withdraw(id: RequestId): void {
    clearTimeout(this.#held.get(id)?.timer)
    this.#held.delete(id)
  }

  close(): void {
    for (const id of [...this.#held.keys()]) this.withdraw(id)
  }

  /** Whether every call itself waits for an answer, so that no call will end. */
  #isStuck(calls: readonly LegacyCall[]): boolean {
    return this.#held.size + calls.reduce((sum, { open }) => sum + Math.min(open, 1), 0) >= calls.length
  }

  #refuse(ids: readonly RequestId[]): void {
    for (const id of ids) {
      const held = this.#held.get(id)
      this.withdraw(id)
      if (held) this.#options.refuse(held.request, [...held.candidates])
    }
  }
}
