/** Calls the listeners of named events. A listener that throws does not disturb the others. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(value: never) => void>>()
  readonly #onError: (thrown: unknown, event: keyof Events) => void

  constructor(onError: (thrown: unknown, event: keyof Events) => void) {
    this.#onError = onError
  }

  /** Returns the function that takes the listener away again. */
  on<K extends keyof Events>(event: K, listener: (value: Events[K]) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners)
    // Each registration counts, even of a function that is registered already.
    const own = (value: Events[K]) => listener(value)
    listeners.add(own)
    return () => void listeners.delete(own)
  }

  has(event: keyof Events): boolean {
    return (this.#listeners.get(event)?.size ?? 0) > 0
  }

  emit<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        ;(listener as (value: Events[K]) => void)(value)
      } catch (thrown) {
        this.#onError(thrown, event)
      }
    }
  }
}
