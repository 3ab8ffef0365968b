import type { Action } from './text-cleaner.ts'

/** Counts what was found in results, for operators. */
export class ResultFindings {
  readonly #counts = new Map<string, Record<Action, number>>()

  add(name: string, action: Action): void {
    let counts = this.#counts.get(name)
    if (!counts) {
      counts = { mask: 0, drop: 0, refuse: 0 }
      this.#counts.set(name, counts)
    }
    counts[action]++
  }

  /** By the name of what was looked for. */
  get counts(): Record<string, Readonly<Record<Action, number>>> {
    return Object.fromEntries(this.#counts)
  }
}
