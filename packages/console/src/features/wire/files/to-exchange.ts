import type { WireDetail } from '../../../api/contract.ts'
import { withPlainNumbers } from '../../../api/json.ts'

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value)
/** What a date can be made of. */
const moment: Check = (value) => number(value) && Math.abs(value as number) <= 8.64e15
const flag: Check = (value) => typeof value === 'boolean'
const json: Check = (value) => value !== undefined

function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}

function oneOf(...words: readonly string[]): Check {
  return (value) => words.includes(value as string)
}

function object(members: Readonly<Record<string, Check>>): Check {
  return (value) =>
    value !== null &&
    typeof value === 'object' &&
    Object.entries(members).every(([name, check]) => check((value as Record<string, unknown>)[name]))
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}

const exchange = object({
  id: number,
  at: moment,
  method: text,
  name: optional(text),
  target: optional(text),
  client: object({
    name: optional(text),
    revision: text,
    session: optional(text),
    principal: optional(text),
  }),
  status: oneOf('running', 'ok', 'tool-error', 'error', 'input-required', 'task', 'cancelled', 'refused'),
  duration: optional(number),
  targetDuration: optional(number),
  bytes: optional(number),
  error: optional(text),
  hops: listOf(
    object({
      seq: number,
      at: number,
      offset: number,
      hop: oneOf('client', 'target'),
      direction: oneOf('in', 'out'),
      type: oneOf('request', 'response', 'error', 'notification'),
      method: optional(text),
      message: json,
      bytes: number,
      truncated: flag,
      note: optional(text),
    }),
  ),
})

/** The exchange that a value is, if it has all that the page shows, as what it shows it: files are not always what they say. */
export function toExchange(value: unknown): WireDetail | undefined {
  // Messages are shown as they were sent. Everything else is ours, and has plain numbers.
  const plain = withPlainNumbers(value)
  if (!exchange(plain)) return undefined
  const { hops } = value as WireDetail
  const known = plain as WireDetail
  return { ...known, hops: known.hops.map((hop, at) => ({ ...hop, message: hops[at]!.message })) }
}
