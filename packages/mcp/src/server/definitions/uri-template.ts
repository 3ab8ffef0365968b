import { McpError } from '../../jsonrpc/index.ts'
import type { TemplateVariables } from './uri-variables.ts'

// RFC 6570, all four levels, for expanding and for matching. Matching is what libraries lack: they expand.

interface Operator {
  readonly first: string
  readonly separator: string
  readonly named: boolean
  readonly ifEmpty: string
  readonly reserved: boolean
}

const SIMPLE: Operator = { first: '', separator: ',', named: false, ifEmpty: '', reserved: false }
const RESERVED: Operator = { ...SIMPLE, reserved: true }
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['+', RESERVED],
  ['#', { ...SIMPLE, first: '#', reserved: true }],
  ['.', { ...SIMPLE, first: '.', separator: '.' }],
  ['/', { ...SIMPLE, first: '/', separator: '/' }],
  [';', { ...SIMPLE, first: ';', separator: ';', named: true }],
  ['?', { ...SIMPLE, first: '?', separator: '&', named: true, ifEmpty: '=' }],
  ['&', { ...SIMPLE, first: '&', separator: '&', named: true, ifEmpty: '=' }],
])

interface Variable {
  readonly name: string
  readonly explode: boolean
  readonly prefix: number | undefined
}

interface Expression {
  readonly operator: Operator
  readonly variables: readonly Variable[]
}

type Part = string | Expression

const URI_CHARACTERS = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/
const MAX_TEMPLATE_LENGTH = 4096
const MAX_URI_LENGTH = 8192

export class UriTemplate {
  readonly template: string
  readonly variables: readonly string[]
  readonly #parts: readonly Part[]
  readonly #pattern: RegExp
  readonly #groups: readonly { variable: Variable; operator: Operator }[]
  readonly #longest: number

  constructor(template: string) {
    if (template.length > MAX_TEMPLATE_LENGTH) throw invalid(template, 'it is too long')
    this.template = template
    this.#parts = parse(template)
    this.#longest = longestUri(this.#parts, template)
    const groups: { variable: Variable; operator: Operator }[] = []
    this.#pattern = new RegExp(`^${this.#parts.map((part) => toPattern(part, groups)).join('')}$`)
    this.#groups = groups
    this.variables = [...new Set(groups.map(({ variable }) => variable.name))]
  }

  expand(values: Readonly<Record<string, unknown>>): string {
    return this.#parts.map((part) => (typeof part === 'string' ? part : expand(part, values))).join('')
  }

  /** The variables' decoded values, or undefined when the URI does not match. */
  match(uri: string): TemplateVariables | undefined {
    if (uri.length > this.#longest) return undefined
    const found = this.#pattern.exec(uri)
    if (!found) return undefined
    const values: TemplateVariables = Object.create(null) as TemplateVariables
    for (const [index, group] of this.#groups.entries()) {
      const raw = found[index + 1]
      if (raw === undefined) continue
      const value = decode(raw, group)
      if (value === undefined) return undefined
      values[group.variable.name] = value
    }
    return values
  }
}

/** Encodes what was asked for as the URI that it means; undefined when it is not even text. */
export function toUri(asked: string): string | undefined {
  if (URI_CHARACTERS.test(asked)) return asked
  try {
    return encode(asked, RESERVED)
  } catch {
    return undefined
  }
}

/** Ambiguous variables cost a power of the URI's length, so URIs for them must be shorter. */
const LONGEST_BY_AMBIGUITY: readonly number[] = [MAX_URI_LENGTH, MAX_URI_LENGTH, 4096, 512, 128]

function longestUri(parts: readonly Part[], template: string): number {
  let ambiguous = 0
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') continue
    if (part.operator.reserved) ambiguous += part.variables.length
    else if (isPlain(part) && (isPlain(parts[index - 1]) || isPlain(parts[index + 1]))) ambiguous++
  }
  const longest = LONGEST_BY_AMBIGUITY[ambiguous]
  if (longest === undefined) throw invalid(template, 'too many of its variables can match anything')
  return longest
}

/** An expression without a mark at its beginning: it could take the characters of its neighbour. */
function isPlain(part: Part | undefined): boolean {
  return typeof part === 'object' && part.operator.first === ''
}

function invalid(template: string, why: string): McpError {
  return new McpError('invalid_definition', `Invalid URI template "${template.slice(0, 80)}": ${why}`)
}

function parse(template: string): Part[] {
  const parts: Part[] = []
  let at = 0
  while (at < template.length) {
    const open = template.indexOf('{', at)
    const literal = template.slice(at, open === -1 ? undefined : open)
    if (literal.includes('}')) throw invalid(template, 'a "}" has no "{"')
    if (literal) parts.push(literal)
    if (open === -1) break
    const close = template.indexOf('}', open)
    if (close === -1) throw invalid(template, 'a "{" is not closed')
    parts.push(parseExpression(template.slice(open + 1, close), template))
    at = close + 1
  }
  return parts
}

function parseExpression(body: string, template: string): Expression {
  const operator = OPERATORS.get(body[0] ?? '')
  const names = operator ? body.slice(1) : body
  const variables = names.split(',').map((spec) => {
    const found = /^((?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+)(?:(\*)|:([1-9][0-9]{0,3}))?$/.exec(spec)
    if (!found) throw invalid(template, `"${spec}" is not a variable`)
    return { name: found[1]!, explode: found[2] === '*', prefix: found[3] ? Number(found[3]) : undefined }
  })
  return { operator: operator ?? SIMPLE, variables }
}

function escapeRegExp(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

/** Each variable is one group over a class without its separators, so matching cannot backtrack badly. */
function toPattern(part: Part, groups: { variable: Variable; operator: Operator }[]): string {
  if (typeof part === 'string') return escapeRegExp(part)
  const { operator, variables } = part
  const pieces = variables.map((variable, index) => {
    groups.push({ variable, operator })
    const name = operator.named && !variable.explode ? `${escapeRegExp(variable.name)}=?` : ''
    const piece = `${leadPattern(operator, index)}${name}(${valuePattern(operator, variable)})`
    return operator.named || operator.first !== '' ? `(?:${piece})?` : piece
  })
  return pieces.join('')
}

/** Variables without a value are left out (RFC 6570, section 3.2.1), so any of several may be the first. */
function leadPattern(operator: Operator, index: number): string {
  if (index === 0) return escapeRegExp(operator.first)
  if (!operator.named || operator.first === operator.separator) return escapeRegExp(operator.separator)
  return `[${operator.first}${operator.separator}]`
}

function valuePattern(operator: Operator, variable: Variable): string {
  if (operator.reserved)
    return variable.prefix === undefined ? '[^{}\\s]+?' : `[^{}\\s]{0,${variable.prefix}}`
  const item =
    operator.named && variable.explode ? '[^&;#/]' : `[^/?#&;,${operator.separator === '.' ? '.' : ''}]`
  if (variable.explode) return `${item}*(?:${escapeRegExp(operator.separator)}${item}*)*`
  // A prefix counts characters; one character may take twelve in percent-encoded UTF-8.
  return variable.prefix === undefined ? `${item}*` : `${item}{0,${variable.prefix * 12}}`
}

function decode(
  raw: string,
  { variable, operator }: { variable: Variable; operator: Operator },
): string | string[] | undefined {
  try {
    if (!variable.explode) return decodeURIComponent(raw)
    return raw.split(operator.separator).map((item) => {
      const value = operator.named ? item.replace(`${variable.name}=`, '') : item
      return decodeURIComponent(value)
    })
  } catch {
    return undefined
  }
}

function expand(expression: Expression, values: Readonly<Record<string, unknown>>): string {
  const { operator, variables } = expression
  const pieces = variables.flatMap((variable) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    return value === undefined || value === null ? [] : expandVariable(variable, value, operator)
  })
  return pieces.length === 0 ? '' : operator.first + pieces.join(operator.separator)
}

function expandVariable(variable: Variable, value: unknown, operator: Operator): string[] {
  const name = (text: string): string => {
    if (!operator.named) return text
    return text === '' ? `${variable.name}${operator.ifEmpty}` : `${variable.name}=${text}`
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => encode(String(item), operator))
    if (items.length === 0) return []
    return variable.explode ? items.map(name) : [name(items.join(','))]
  }
  if (typeof value === 'object') {
    const pairs = Object.entries(value as object).map(([k, v]) => [
      encode(k, operator),
      encode(String(v), operator),
    ])
    if (pairs.length === 0) return []
    return variable.explode ? pairs.map((pair) => pair.join('=')) : [name(pairs.flat().join(','))]
  }
  const text = String(value)
  const cut = variable.prefix === undefined ? text : [...text].slice(0, variable.prefix).join('')
  return [name(encode(cut, operator))]
}

function encode(text: string, operator: Operator): string {
  const encoded = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  if (!operator.reserved) return encoded
  return encoded
    .replace(/%(?:21|23|24|26|27|28|29|2A|2B|2C|2F|3A|3B|3D|3F|40|5B|5D)/g, decodeURIComponent)
    .replace(/%25([0-9A-Fa-f]{2})/g, '%$1')
}
