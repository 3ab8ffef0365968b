const MOST_WARNINGS = 200

export class Warnings {
  readonly #seen = new Map<string, { readonly first: string | undefined; times: number }>()
  #left = 0

  /** Each problem is kept once; `where` names the first place, and the others are counted. */
  add(problem: string, where?: string): void {
    const known = this.#seen.get(problem)
    if (known) known.times++
    else if (this.#seen.size < MOST_WARNINGS) this.#seen.set(problem, { first: where, times: 1 })
    else this.#left++
  }

  list(): string[] {
    const listed = [...this.#seen].map(([problem, { first, times }]) => {
      if (first === undefined) return problem
      return times === 1 ? `${first}: ${problem}` : `${first} and ${times - 1} more: ${problem}`
    })
    if (this.#left > 0) listed.push(`… and ${this.#left} more warnings`)
    return listed
  }
}
