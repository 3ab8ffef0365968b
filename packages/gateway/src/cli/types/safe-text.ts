/** Control and format characters (also those that change the direction of text) and lone surrogates. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu
const LONGEST_COMMENT = 2000

/** A string as a literal type or a quoted name: nothing in it can end the literal, or be overlooked. */
export function literal(text: string): string {
  return JSON.stringify(text).replaceAll(UNSEEN, escapeUnits)
}

function escapeUnits(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Plain words that TypeScript reads as something else where a member begins. */
const TAKEN: ReadonlySet<string> = new Set(['new', 'get', 'set', 'readonly', 'constructor'])

/** The name of a member, quoted where it must be. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && !TAKEN.has(name) ? name : literal(name)
}

/** A template of URIs as a template literal type: each expression stands for any text. */
export function uriType(template: string): string {
  const parts = template.split(/\{[^{}]*\}/)
  if (parts.length === 1) return literal(template)
  const fixed = parts.map((part) => literal(part).slice(1, -1).replaceAll('\\"', '"'))
  return `\`${fixed.map((part) => part.replaceAll('`', '\\`').replaceAll('${', '\\${')).join('${string}')}\``
}

/**
 * Text of a server as a comment. It cannot end the comment, and it cannot speak to the compiler: a line that begins
 * with `@ts-expect-error` would.
 */
export function comment(text: unknown): string {
  const lines = (typeof text === 'string' ? text : '')
    .slice(0, LONGEST_COMMENT)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(UNSEEN, (sign) => (sign === '\n' ? sign : ' '))
    .replaceAll('*/', '*\\/')
    .replaceAll('@', '\\@')
    .split('\n')
    .map((line) => line.trimEnd())
  while (lines.at(-1) === '') lines.pop()
  while (lines[0] === '') lines.shift()
  if (lines.length === 0) return ''
  if (lines.length === 1) return `/** ${lines[0]} */\n`
  return `/**\n${lines.map((line) => ` *${line === '' ? '' : ` ${line}`}\n`).join('')} */\n`
}
