/** The last digit makes the sum divisible by ten: cards, and several countries' numbers. */
export function isLuhn(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** The remainder of a number of any length. */
export function remainder(digits: string, by: number): number {
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % by
  return rest
}

/** The sum of all digits, each times its weight. */
export function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * Number(digits[at] ?? 0), 0)
}

const VERHOEFF_PRODUCT = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
]
const VERHOEFF_ORDER = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
]

/** The check of Indian identity numbers. */
export function isVerhoeff(digits: string): boolean {
  let check = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    check = Number(VERHOEFF_PRODUCT[check]![Number(VERHOEFF_ORDER[at % 8]![digit])])
  }
  return check === 0
}
