/**
 * What evaluating one condition may cost. Arguments and claims come from strangers, and an expression that loops over
 * them must not hold up the gateway. One unit is about a microsecond at most.
 */
const MOST_WORK = 100_000
/** Values (members, elements) that a condition gets to see of arguments and claims. */
const MOST_VALUES = 10_000
/** Characters of their texts and names. */
const MOST_CHARACTERS = 1024 * 1024
const DEEPEST = 32

/** Thrown again and again without a stack trace: macros catch errors and go on with the next element. */
export const TOO_MUCH: Error = withoutStack('it takes too long with these values')

export function withoutStack(message: string): Error {
  const error = new Error(message)
  error.stack = message
  return Object.freeze(error)
}

let left = MOST_WORK

/** Evaluation is synchronous, so one account is enough. */
export function beginWork(): void {
  left = MOST_WORK
}

export function spend(units: number): void {
  left -= units
  if (left < 0) throw TOO_MUCH
}

/** Refuses a loop that cannot come to its end: each further step would only throw again. */
export function requireWork(units: number): void {
  if (units > left) spend(units)
}

/** Whether the limit was passed, even if the expression has a value all the same (`error || true`). */
export function isOverspent(): boolean {
  return left < 0
}

/** Counts what is handed over of one request. */
export class Meter {
  #values = 0
  #names = 0
  #characters = 0

  value(depth: number): void {
    if (++this.#values > MOST_VALUES) throw tooLarge(`more than ${MOST_VALUES} values`)
    if (depth > DEEPEST) throw tooLarge(`more than ${DEEPEST} levels`)
  }

  /** A name that is only compared. */
  name(text: string): string {
    if (++this.#names > MOST_VALUES) throw tooLarge(`more than ${MOST_VALUES} members`)
    return this.text(text)
  }

  text(text: string): string {
    this.#characters += text.length
    if (this.#characters > MOST_CHARACTERS) throw tooLarge(`more than ${MOST_CHARACTERS} characters`)
    return text
  }
}

function tooLarge(what: string): Error {
  return withoutStack(`what it looks at has ${what}`)
}
