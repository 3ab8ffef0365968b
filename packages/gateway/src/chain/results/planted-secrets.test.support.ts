import { isLuhn, isVerhoeff, remainder } from '../../model/sensitive/check-digits.ts'

/** Numbers by lot that are the same for the same seed. */
export class Lot {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }

  one<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => this.one([...alphabet])).join('')
  }

  digits(length: number): string {
    return this.text('0123456789', length)
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const ALL = `${LOWER}${UPPER}0123456789`

/** Completes digits so that they pass a check. */
function completed(start: string, passes: (digits: string) => boolean): string {
  for (let last = 0; last < 10; last++) if (passes(`${start}${last}`)) return `${start}${last}`
  throw new Error('no digit completes it')
}

const grouped = (digits: string, size: number, between: string): string =>
  digits.match(new RegExp(`.{1,${size}}`, 'g'))!.join(between)

function iban(lot: Lot): string {
  const account = lot.digits(18)
  const check = 98 - remainder(`${account}131400`, 97)
  return `DE${String(check).padStart(2, '0')}${account}`
}

/** Makes one of each kind of secret. What is behind the detector's name is made by lot. */
export const SECRETS: Readonly<Record<string, (lot: Lot) => string>> = {
  email: (lot) => `${lot.text(LOWER, 6)}.${lot.text(ALL, 4)}@${lot.text(LOWER, 7)}.example`,
  phone: (lot) =>
    lot.one([`+49 30 9${lot.digits(7)}`, `(415) 555-${lot.digits(4)}`, `+1-212-555-${lot.digits(4)}`]),
  card: (lot) => {
    const digits = completed(`4${lot.digits(14)}`, isLuhn)
    return lot.one([digits, grouped(digits, 4, ' '), grouped(digits, 4, '-')])
  },
  iban: (lot) => lot.one([iban(lot), grouped(iban(lot), 4, ' ')]),
  'us-ssn': (lot) => `${100 + lot.below(500)}-${10 + lot.below(89)}-${1000 + lot.below(8999)}`,
  'in-aadhaar': (lot) => grouped(completed(`${2 + lot.below(8)}${lot.digits(10)}`, isVerhoeff), 4, ' '),
  jwt: (lot) => `eyJ${lot.text(ALL, 20)}.eyJ${lot.text(ALL, 30)}.${lot.text(ALL, 43)}`,
  'vendor-key': (lot) =>
    lot.one([
      `ghp_${lot.text(ALL, 36)}`,
      `AKIA${lot.text(UPPER, 16)}`,
      `sk-${lot.text(ALL, 40)}`,
      `xoxb-${lot.digits(11)}-${lot.text(ALL, 24)}`,
      `hf_${lot.text(LOWER, 34)}`,
    ]),
  'private-key': (lot) =>
    `-----BEGIN RSA PRIVATE KEY-----\n${grouped(lot.text(ALL, 256), 64, '\n')}\n-----END RSA PRIVATE KEY-----`,
}

const WORDS =
  'the order of customer was sent to warehouse and invoice paid in full by team status open ticket note'.split(
    ' ',
  )

export function prose(lot: Lot, secret: string): string {
  const words = (count: number): string => Array.from({ length: count }, () => lot.one(WORDS)).join(' ')
  const before = lot.one([' ', ': ', ' (', ' "', '\n', '\t', ' = ', ', '])
  const after = lot.one([' ', '.', ')', '"', '\n', ', ', ';'])
  return `${words(lot.below(6))}${before}${secret}${after}${words(lot.below(6))}`
}
