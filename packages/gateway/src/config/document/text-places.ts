/** Turns offsets into lines and columns, counted from 1, and back. */
export class TextPlaces {
  readonly #starts: number[] = [0]

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1)
  }

  offset(line: number, column: number): number {
    const start = this.#starts[Math.min(line, this.#starts.length) - 1] ?? 0
    return start + column - 1
  }

  place(offset: number): { line: number; column: number } {
    const index = this.#starts.findLastIndex((start) => start <= offset)
    return { line: index + 1, column: offset - this.#starts[index]! + 1 }
  }
}
