import { isLuhn, isVerhoeff, remainder, weighted } from './check-digits.ts'
import type { Detector } from './detector.ts'
import { hasNumber } from './first-look.ts'

const plain = (text: string): string => text.replaceAll(/[^\da-z]/gi, '').toUpperCase()

/** Numbers with no form of their own count only where a word in front of them says what they are. */
const named =
  (word: RegExp, isValid: (digits: string) => boolean) =>
  (match: string, before: string): boolean =>
    word.test(before) && isValid(plain(match))

const isDate = (month: string, day: string): boolean =>
  Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31

function isSocialSecurity(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits)
}

const SSN_WORD = /(?:\bssn|social[\s_-]?security|socialsecurity)/i

function isGermanTaxId(digits: string): boolean {
  let product = 10
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === Number(digits[10])
}

function isFrench(text: string): boolean {
  const digits = text.replace('2A', '19').replace('2B', '18')
  return 97 - remainder(digits.slice(0, 13), 97) === Number(digits.slice(13))
}

function isSpanish(text: string): boolean {
  const digits = text.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(digits) % 23] === text.at(-1)
}

const ITALIAN_ODD = '1,0,5,7,9,13,15,17,19,21,2,4,18,20,11,3,6,8,12,14,16,10,22,25,24,23'
  .split(',')
  .map(Number)

function isItalian(text: string): boolean {
  const digitOf = (sign: string): number =>
    /\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 'A'.charCodeAt(0)
  let sum = 0
  for (let at = 0; at < 15; at++) sum += at % 2 === 0 ? ITALIAN_ODD[digitOf(text[at]!)]! : digitOf(text[at]!)
  return String.fromCharCode(65 + (sum % 26)) === text[15]
}

function isBelgian(digits: string): boolean {
  const check = Number(digits.slice(9))
  const body = digits.slice(0, 9)
  return 97 - remainder(body, 97) === check || 97 - remainder(`2${body}`, 97) === check
}

function isBrazilian(digits: string): boolean {
  if (/^(\d)\1+$/.test(digits)) return false
  const check = (count: number): number => {
    const weights = Array.from({ length: count }, (_, at) => count + 1 - at)
    return ((weighted(digits, weights) * 10) % 11) % 10
  }
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10])
}

function isChinese(text: string): boolean {
  const sum = weighted(text, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2])
  return '10X98765432'[sum % 11] === text[17] && isDate(text.slice(10, 12), text.slice(12, 14))
}

function isSingaporean(text: string): boolean {
  const [kind] = text
  const sum =
    weighted(text.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]) +
    (kind === 'T' || kind === 'G' ? 4 : kind === 'M' ? 3 : 0)
  const letters = kind === 'S' || kind === 'T' ? 'JZIHGFEDCBA' : kind === 'M' ? 'XWUTRQPNJLK' : 'XWUTRQPMLKN'
  return letters[sum % 11] === text[8]
}

const SWISS_WEIGHTS = [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]

/** Numbers of people, country by country. */
const COUNTRIES: readonly Omit<Detector, 'mayFind'>[] = [
  {
    name: 'us-ssn',
    pattern: /(?<!\d|\d-)\d{3}[-. ]?\d{2}[-. ]?\d{4}(?!-?\d)/g,
    accepts: (match, before) =>
      isSocialSecurity(plain(match)) && (/^\d{3}([-. ])\d{2}\1\d{4}$/.test(match) || SSN_WORD.test(before)),
  },
  {
    name: 'uk-nino',
    pattern:
      /(?<![A-Za-z\d])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Za-z\d])/gi,
  },
  {
    name: 'de-tax-id',
    pattern: /(?<!\d)\d{2} ?\d{3} ?\d{3} ?\d{3}(?!\d)/g,
    accepts: named(/steuer|tax|\btin\b|idnr/i, isGermanTaxId),
  },
  {
    name: 'fr-nir',
    pattern: /(?<!\d)[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\d)/gi,
    accepts: (match) => isFrench(plain(match)),
  },
  {
    name: 'es-dni',
    pattern: /(?<![A-Za-z\d])(?:\d{8}|[XYZ]-?\d{7})-?[A-Z](?![A-Za-z\d])/gi,
    accepts: (match) => isSpanish(plain(match)),
  },
  {
    name: 'it-codice-fiscale',
    pattern: /(?<![A-Za-z\d])[A-Z]{6}\d{2}[ABCDEHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z\d])/gi,
    accepts: (match) => isItalian(plain(match)),
  },
  {
    name: 'nl-bsn',
    pattern: /(?<!\d)\d{3}[. ]?\d{3}[. ]?\d{3}(?!\d)/g,
    accepts: named(
      /\bbsn|burgerservice|sofi/i,
      (digits) => weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    ),
  },
  {
    name: 'be-national-number',
    pattern: /(?<!\d)\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}(?!\d)/g,
    accepts: (match) => isBelgian(plain(match)),
  },
  {
    name: 'pl-pesel',
    pattern: /(?<!\d)\d{11}(?!\d)/g,
    accepts: named(/pesel/i, (digits) => weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0),
  },
  {
    name: 'se-personnummer',
    pattern: /(?<!\d)(?:19|20)?\d{6}[-+]\d{4}(?!\d)/g,
    accepts: (match) => {
      const digits = plain(match).slice(-10)
      return isDate(digits.slice(2, 4), digits.slice(4, 6)) && isLuhn(digits)
    },
  },
  {
    name: 'ch-ahv',
    pattern: /(?<!\d)756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}(?!\d)/g,
    accepts: (match) => weighted(plain(match), SWISS_WEIGHTS) % 10 === 0,
  },
  {
    name: 'ca-sin',
    pattern: /(?<!\d|\d[- ])\d{3}([- ])\d{3}\1\d{3}(?![- ]?\d|[A-Za-z])/g,
    accepts: (match) => !/^[08]/.test(match) && isLuhn(plain(match)),
  },
  {
    name: 'br-cpf',
    pattern: /(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/g,
    accepts: (match) => isBrazilian(plain(match)),
  },
  {
    name: 'in-aadhaar',
    pattern: /(?<!\d)[2-9]\d{3}([ +-])\d{4}\1\d{4}(?![ +-]?\d)/g,
    accepts: (match) => isVerhoeff(plain(match)),
  },
  { name: 'in-pan', pattern: /(?<![A-Za-z\d])[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z](?![A-Za-z\d])/g },
  {
    name: 'cn-resident-id',
    pattern: /(?<!\d)[1-9]\d{5}(?:19|20)\d{9}[\dX](?!\d)/gi,
    accepts: (match) => isChinese(plain(match)),
  },
  {
    name: 'kr-rrn',
    pattern: /(?<!\d)\d{6}-[1-8]\d{6}(?!\d)/g,
    accepts: (match) => isDate(match.slice(2, 4), match.slice(4, 6)),
  },
  {
    name: 'sg-nric',
    pattern: /(?<![A-Za-z\d])[STFGM]\d{7}[A-Z](?![A-Za-z\d])/gi,
    accepts: (match) => isSingaporean(plain(match)),
  },
  {
    name: 'au-tfn',
    pattern: /(?<!\d)\d{3} ?\d{3} ?\d{3}(?!\d)/g,
    accepts: named(/\btfn|tax file/i, (digits) => weighted(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0),
  },
]

const hasDigits = (text: string): boolean => hasNumber(text, 2)

export const nationalIds: readonly Detector[] = COUNTRIES.map((country) => ({
  ...country,
  mayFind: hasDigits,
}))
