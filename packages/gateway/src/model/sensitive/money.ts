import { isLuhn, remainder } from './check-digits.ts'
import type { Detector, Span } from './detector.ts'
import { hasNumber } from './first-look.ts'

/** Beginnings and lengths of the cards that are issued. */
const ISSUED =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17}|(?:5018|5020|5038|6304|6759|676[1-3])\d{12,15})$/

const MOST_DIGITS = 19
/** Cards with so many digits are issued no more, and every tenth barcode looks like one. */
const BARCODE_DIGITS = 13
const CARD_WORD = /card|karte|carte|tarjeta|visa|credit|debit|payment|(?<![a-z])(?:pan|cc)(?![a-z])/i
const LETTER = /[\da-z]/i

/** How cards are printed, in digits of each group: 4-4-4-4, 4-6-5, or all groups alike. Other rows of numbers are no card. */
function isPrinted(groups: readonly string[]): boolean {
  const lengths = groups.map(({ length }) => length)
  const [first = 0, second = 0] = lengths
  const isAlike = lengths.slice(0, -1).every((length) => length === first) && lengths.at(-1)! <= first
  return isAlike || (first === 4 && second === 6 && lengths.length === 3)
}

/** Whether what begins here stands behind a decimal point. */
function isFraction(match: string, at: number): boolean {
  return match[at - 1] === '.' && /\d/.test(match[at - 2] ?? '')
}

/** Digits in groups may be several cards, or a card and what follows it: each row of whole groups is looked at. */
function cardsIn(match: string, before: string): Span[] {
  const groups = [...match.matchAll(/\d+/g)]
  const found: Span[] = []
  for (let from = 0; from < groups.length; from++) {
    let digits = ''
    for (let to = from; to < groups.length && digits.length < MOST_DIGITS; to++) {
      const [group] = groups[to]!
      digits += group
      if (!ISSUED.test(digits) || !isLuhn(digits)) continue
      if (!isPrinted(groups.slice(from, to + 1).map(([one]) => one))) continue
      if (from === to && isFraction(match, groups[from]!.index)) continue
      if (digits.length === BARCODE_DIGITS && !CARD_WORD.test(before)) continue
      found.push([groups[from]!.index, groups[to]!.index + group.length])
      from = to
      break
    }
  }
  return found
}

const IBAN_LENGTHS =
  'AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30'

function ibanIn(match: string): Span[] | undefined {
  const country = match.slice(0, 2).toUpperCase()
  const length = Number(new RegExp(`${country}(\\d\\d)`).exec(IBAN_LENGTHS)?.[1] ?? 0)
  // The rest of the row may be the next word.
  let end = 0
  for (let count = 0; end < match.length && count < length; end++) if (LETTER.test(match[end]!)) count++
  const plain = match
    .slice(0, end)
    .replaceAll(/[^\da-z]/gi, '')
    .toUpperCase()
  if (length === 0 || plain.length !== length || LETTER.test(match[end] ?? '')) return undefined
  const digits = (plain.slice(4) + plain.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  return remainder(digits, 97) === 1 ? [[0, end]] : undefined
}

export const card: Detector = {
  name: 'card',
  mayFind: (text) => hasNumber(text, 13),
  // In forms a plus stands for a space.
  pattern: /(?<!\d)\d(?:[ .+-]{0,2}\d){12,}/g,
  spans: cardsIn,
}

export const iban: Detector = {
  name: 'iban',
  mayFind: (text) => /[a-z]{2}\d{2}/i.test(text),
  pattern: /(?<![\da-z])[a-z]{2}\d{2}(?:[ +-]?[\da-z]){11,40}/gi,
  spans: ibanIn,
}
