import type { WireRecord } from './wire.ts'

export type WireFilter = (record: WireRecord) => boolean

const FIELDS: Readonly<Record<string, (record: WireRecord) => string | undefined>> = {
  method: (record) => record.method,
  name: (record) => record.name,
  tool: (record) => (record.method === 'tools/call' ? record.name : undefined),
  prompt: (record) => (record.method === 'prompts/get' ? record.name : undefined),
  resource: (record) => (record.method.startsWith('resources/') ? record.name : undefined),
  target: (record) => record.target ?? '',
  client: (record) => record.client.name ?? '',
  principal: (record) => record.client.principal ?? '',
  session: (record) => record.client.session ?? '',
  revision: (record) => record.client.revision,
  era: (record) => (record.client.revision >= '2026-07-28' ? 'modern' : 'legacy'),
  status: (record) => record.status,
  error: (record) => record.error,
}

/** The fields that a filter knows, for completion. */
export const WIRE_FILTER_FIELDS: readonly string[] = Object.keys(FIELDS)

/**
 * Reads a filter such as `tool:search status:error >500ms -target:demo`. All parts have to hold; `-` in front
 * negates one; `field:text` looks for the text in the field, whatever its case, and `field:a,b` for either;
 * `>500ms`, `<2s` compare durations; bare words are looked for everywhere; quotes keep spaces together.
 */
export function parseWireFilter(text: string): WireFilter {
  const parts = [...text.matchAll(/-?(?:[a-z]+:)?"[^"]*"|\S+/gi)].map(([part]) => parsePart(part))
  return (record) => parts.every((matches) => matches(record))
}

function parsePart(part: string): WireFilter {
  // Somebody is still typing.
  if (part === '-') return () => true
  if (part.startsWith('-')) {
    const matches = parsePart(part.slice(1))
    return (record) => !matches(record)
  }
  const duration = /^([<>])(\d+(?:\.\d+)?)(ms|s|m)?$/i.exec(part)
  if (duration) return byDuration(duration[1]!, Number(duration[2]), duration[3])
  const field = /^([a-z]+):(.*)$/is.exec(part)
  const read = field && Object.hasOwn(FIELDS, field[1]!.toLowerCase()) && FIELDS[field[1]!.toLowerCase()]
  if (!read) return anywhere(unquote(part))
  const wanted = unquote(field[2]!).toLowerCase().split(',')
  return (record) => {
    const value = read(record)?.toLowerCase()
    return value !== undefined && wanted.some((one) => value.includes(one))
  }
}

function byDuration(operator: string, amount: number, unit = 'ms'): WireFilter {
  const limit = amount * ({ ms: 1, s: 1000, m: 60_000 }[unit.toLowerCase()] ?? 1)
  return ({ duration }) => duration !== undefined && (operator === '>' ? duration > limit : duration < limit)
}

function anywhere(text: string): WireFilter {
  const wanted = text.toLowerCase()
  return (record) => Object.values(FIELDS).some((read) => read(record)?.toLowerCase().includes(wanted))
}

function unquote(text: string): string {
  return text.replace(/^"(.*)"$/s, '$1')
}
