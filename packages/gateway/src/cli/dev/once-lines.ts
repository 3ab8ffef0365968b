/** Leaves out lines that a server repeats because it was started again for the older era. */
export class OnceLines {
  readonly #print: (line: string) => void
  #said: string[] = []
  #repeated = 0

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  add(line: string): void {
    if (this.#said[this.#repeated] === line) {
      this.#repeated++
      return
    }
    // It only began like the first time.
    const held = this.#said.slice(0, this.#repeated)
    this.#repeated = 0
    for (const one of [...held, line]) {
      this.#said.push(one)
      this.#print(one)
    }
  }

  /** The lines since the last reset. */
  get lines(): readonly string[] {
    return this.#said
  }

  reset(): void {
    this.#said = []
    this.#repeated = 0
  }
}
