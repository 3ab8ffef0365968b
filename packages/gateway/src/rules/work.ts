/**
 * What evaluating one condition may cost. Arguments and claims come from strangers, and an expression that loops over
 * them must not hold up the gateway. One unit is about a microsecond at most.
 */
const MOST_WORK = 100_000
/** What all conditions and expressions of one request may cost together, in steps of loops. */
const MOST_TOGETHER = 500_000
/** Values (members, elements) that a condition gets to see of arguments and claims. */
const MOST_VALUES = 10_000
/** Characters of their texts and names. */
const MOST_CHARACTERS = 1024 * 1024
const DEEPEST = 32

/** Thrown again and again without a stack trace: macros catch errors and go on with the next element. */
const TOO_MUCH: Error = withoutStack('it takes too long with these values')

export function withoutStack(message: string): Error {
  const error = new Error(message)
  error.stack = message
  return Object.freeze(error)
}

const TOO_MUCH_TOGETHER = withoutStack('the conditions and expressions of one request take too long together')

/** What is left for one request: a call with its view and limits, or a list with all its entries. */
export class Work {
  left: number = MOST_TOGETHER
  /** Whether something was not evaluated, or not to its end, because too little was left. */
  isSpent = false

  /** All that is evaluated meanwhile is paid from here. `run` must not wait. Within another one, that one pays. */
  pay<T>(run: () => T): T {
    if (payer) return run()
    payer = this
    try {
      return run()
    } finally {
      payer = undefined
    }
  }
}

let payer: Work | undefined

/** Evaluation is synchronous, so one account is enough. */
let account = new Work()
let allowed = MOST_WORK
let left = MOST_WORK
let cut = 0

/** Opens the account of one evaluation; `own` pays where no one else does. False: nothing is left to pay with. */
export function beginWork(own: Work): boolean {
  account = payer ?? own
  allowed = Math.min(MOST_WORK, --account.left)
  left = allowed
  if (left < 0) endWork()
  return left >= 0
}

/** False when the evaluation was cut short for what others had cost before. */
export function endWork(): boolean {
  account.left -= allowed - left
  if (left >= 0 || allowed === MOST_WORK) return true
  account.isSpent = true
  cut++
  return false
}

/** How often evaluations did not come to their end for what others had cost. Such a result is not to be kept. */
export function cutShort(): number {
  return cut
}

/** What is wrong with an evaluation that cost too much. */
export function tooMuch(): Error {
  return allowed === MOST_WORK ? TOO_MUCH : TOO_MUCH_TOGETHER
}

export function spend(units: number): void {
  left -= units
  if (left < 0) throw tooMuch()
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
