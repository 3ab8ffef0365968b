import { DistinctNames } from '../../model/index.ts'

/** When the schemas of one server have more parts than this, the rest becomes `unknown`. */
const MOST_PARTS = 200_000

/** The names that are taken in the file, and what they stand for. */
export class TypeNames {
  readonly declarations: string[] = []
  readonly #names = new DistinctNames('', ['App', 'ResourceUri'])
  #parts = 0

  /** A name that is free, made of the words of a text. */
  take(text: string): string {
    const words = text.match(/[A-Za-z0-9]+/g) ?? []
    const joined = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
    return this.#names.take(`${/^[A-Z]/.test(joined) ? '' : 'T'}${joined.slice(0, 80)}`)
  }

  takePart(): boolean {
    return ++this.#parts <= MOST_PARTS
  }
}
