import { isUtf8 } from 'node:buffer'

/** How often a text is read once more. An honest text is read two or three times. */
const MOST_ROUNDS = 4

/**
 * The same text as people and programs may read it, and each of these texts once more: an address in an address, or
 * hidden signs behind escapes.
 */
export function* readingsOf(text: string): Generator<string> {
  const known = new Set([text])
  let shown = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = shown
    for (const read of WAYS) {
      shown = read(shown)
      if (known.has(shown)) continue
      known.add(shown)
      yield shown
    }
    if (shown === before) break
  }
  // A character that has a meaning in one reading may mean something else in another reading.
  for (const read of WAYS) {
    const other = read(text)
    if (!known.has(other)) yield other
  }
}

/** Colours in what a terminal shows. */
const COLOURS = /\u001B\[[\d;:]*[A-Za-z]/g
/** Characters that take no room, and characters that are not shown. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\0-\x08\x0E-\x1F\x7F-\x9F]/gu
/** Printed numbers have them between their groups. */
const DASH = /[\u2010-\u2015\u2212]/g
/** Chinese full stops; names of hosts may have them. */
const FULL_STOP = /\u3002/g
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu
const PLAIN = /^[\t\n\r\u0020-\u007E]*$/

function visible(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .replaceAll(COLOURS, '')
    .normalize('NFKC')
    .replaceAll(UNSEEN, '')
    .replaceAll(DASH, '-')
    .replaceAll(FULL_STOP, '.')
    .replaceAll(FOREIGN_DIGIT, digit)
}

/** The digits of every script stand in a row, from zero on. */
function digit(sign: string): string {
  let zero = sign.codePointAt(0)!
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String((sign.codePointAt(0)! - zero) % 10)
}

const ESCAPE = /\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|[nrtbf]|([!-/:-@[-`{-~]))/gi

/** JSON, JavaScript and Markdown. */
function withoutBackslashes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replaceAll(ESCAPE, (_, four?: string, braced?: string, two?: string, sign?: string) => {
    const hex = four ?? braced ?? two
    return hex === undefined ? (sign ?? '\n') : fromCode(Number.parseInt(hex, 16))
  })
}

const ENTITY = /&#(?:0*(\d{1,7})|x0*([\da-f]{1,6}));?|&([a-z]{2,14});/gi
const NAMED: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ commat: '@', period: '.', lowbar: '_', hyphen: '-', dash: '-', plus: '+', amp: '&' }),
  ...Object.entries({
    nbsp: ' ',
    lpar: '(',
    rpar: ')',
    sol: '/',
    colon: ':',
    num: '#',
    percnt: '%',
    bsol: '\\',
  }),
  ...Object.entries({ shy: '', zwj: '', zwnj: '', zerowidthspace: '', ndash: '-', mdash: '-', equals: '=' }),
])

/** HTML. */
function withoutEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(ENTITY, (entity, decimal?: string, hex?: string, named?: string) =>
    named === undefined
      ? fromCode(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
      : (NAMED.get(named.toLowerCase()) ?? entity),
  )
}

/** Forms have a plus for a space. */
function withoutPluses(text: string): string {
  return text.includes('+') && ESCAPED_BYTE.test(text) ? text.replaceAll('+', ' ') : text
}

const ESCAPED_BYTE = /%[\da-f]{2}/i
const PERCENTS = /(?:%[\da-f]{2})+/gi

/** Addresses. A text may have percent signs that mean something else. */
function withoutPercents(text: string): string {
  if (!text.includes('%')) return text
  return text.replaceAll(PERCENTS, (escaped) => {
    const code = Number.parseInt(escaped.slice(1), 16)
    if (escaped.length === 3 && code < 128) return String.fromCharCode(code)
    const bytes = Buffer.from(escaped.replaceAll('%', ''), 'hex')
    return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
  })
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** Percents come last: what is escaped once more has a backslash in front of each of them. */
const WAYS: readonly ((text: string) => string)[] = [
  visible,
  withoutBackslashes,
  withoutEntities,
  withoutPluses,
  withoutPercents,
]
