import type { InputRequest, InputRequests, InputResponses } from '../../exchange/index.ts'
import { INVALID_PARAMS, isJsonObject, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'

interface Pending {
  readonly request: InputRequest
  settle(response: JsonObject): void
  refuse(reason: unknown): void
}

/** The questions of one task. Keys are never used twice in a task's life (SEP-2663, Task Update Requests). */
export class TaskQuestions {
  readonly #pending = new Map<string, Pending>()
  readonly #used = new Map<string, number>()

  get size(): number {
    return this.#pending.size
  }

  get requests(): InputRequests {
    return Object.fromEntries([...this.#pending].map(([key, { request }]) => [key, request]))
  }

  /** Asks, and resolves with the answers by the keys that were given. Rejects when the signal aborts. */
  async ask(requests: InputRequests, signal: AbortSignal): Promise<InputResponses> {
    signal.throwIfAborted()
    const keys: string[] = []
    const answers = Object.entries(requests).map(([given, request]) => {
      const key = this.#fresh(given)
      keys.push(key)
      return new Promise<readonly [string, JsonObject]>((resolve, refuse) => {
        this.#pending.set(key, { request, settle: (response) => resolve([given, response]), refuse })
      })
    })
    try {
      return Object.fromEntries(await orAbort(Promise.all(answers), signal))
    } finally {
      // An answer to the others would come too late.
      for (const key of keys) this.#pending.delete(key)
    }
  }

  refuse(key: string, reason: unknown): void {
    this.#pending.get(key)?.refuse(reason)
  }

  /** Takes answers, some or all. Answers to other questions are ignored. */
  answer(responses: JsonObject): void {
    const known = Object.entries(responses).filter(([key]) => this.#pending.has(key))
    const malformed = known.find(([, response]) => !isJsonObject(response))
    if (malformed) {
      throw new ProtocolError(
        INVALID_PARAMS,
        `Invalid params: inputResponses["${malformed[0]}"] must be an object`,
      )
    }
    for (const [key, response] of known) {
      this.#pending.get(key)!.settle(response as JsonObject)
      this.#pending.delete(key)
    }
  }

  #fresh(given: string): string {
    const count = (this.#used.get(given) ?? 0) + 1
    this.#used.set(given, count)
    if (count === 1) return given
    // The author may have chosen the very name that counting makes.
    const numbered = `${given}_${count}`
    return this.#used.has(numbered) ? this.#fresh(given) : this.#fresh(numbered)
  }
}

async function orAbort<T>(answers: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([answers, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
