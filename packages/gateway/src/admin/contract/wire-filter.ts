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

/** The value of a field in an exchange; undefined for an unknown field. */
export function wireFilterValue(field: string, record: WireRecord): string | undefined {
  const name = field.toLowerCase()
  return Object.hasOwn(FIELDS, name) ? FIELDS[name]!(record) : undefined
}

/**
 * Reads a filter such as `tool:search status:error >500ms -target:demo`. All parts have to hold; `-` in front
 * negates one; `field:text` looks for the text in the field, whatever its case, and `field:a,b` for either;
 * `>500ms`, `<2s` compare durations, `>10kb` lengths; `since:` and `until:` take a time such as `2026-01-31T12:00:00Z`;
 * bare words are looked for everywhere; quotes keep spaces together.
 */
export function parseWireFilter(text: string): WireFilter {
  const parts = [...text.matchAll(/-?(?:[a-z]+:)?"[^"]*"|\S+/gi)].map(([part]) => parsePart(part))
  return (record) => parts.every((matches) => matches(record))
}

function parsePart(part: string): WireFilter {
  // The user is still typing.
  if (part === '-') return () => true
  if (part.startsWith('-')) {
    const matches = parsePart(part.slice(1))
    return (record) => !matches(record)
  }
  const compared = /^([<>])(\d+(?:\.\d+)?)(ms|s|m|b|kb|mb)?$/i.exec(part)
  if (compared) return byAmount(compared[1]!, Number(compared[2]), compared[3])
  const time = /^(since|until):"?([^"]+)"?$/i.exec(part)
  if (time) return byTime(time[1]!.toLowerCase(), Date.parse(time[2]!))
  const field = /^([a-z]+):(.*)$/is.exec(part)
  const read = field && Object.hasOwn(FIELDS, field[1]!.toLowerCase()) && FIELDS[field[1]!.toLowerCase()]
  if (!read) return anywhere(unquote(part))
  const wanted = unquote(field[2]!).toLowerCase().split(',')
  return (record) => {
    const value = read(record)?.toLowerCase()
    return value !== undefined && wanted.some((one) => value.includes(one))
  }
}

/** A time that cannot be read is still being typed. */
function byTime(field: string, time: number): WireFilter {
  if (Number.isNaN(time)) return () => true
  return ({ at }) => (field === 'since' ? at >= time : at < time)
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, b: 1, kb: 1024, mb: 1024 * 1024 }

function byAmount(operator: string, amount: number, unit = 'ms'): WireFilter {
  const limit = amount * UNITS[unit.toLowerCase()]!
  const isSize = /b$/i.test(unit)
  return ({ duration, bytes }) => {
    const value = isSize ? bytes : duration
    return value !== undefined && (operator === '>' ? value > limit : value < limit)
  }
}

function anywhere(text: string): WireFilter {
  const wanted = text.toLowerCase()
  return (record) => Object.values(FIELDS).some((read) => read(record)?.toLowerCase().includes(wanted))
}

function unquote(text: string): string {
  return text.replace(/^"(.*)"$/s, '$1')
}
