import { WIRE_FILTER_FIELDS, wireFilterValue, type WireRecord } from '../../api/contract.ts'

const MOST = 20

/** What the filter may go on with: names of fields, or values that the field has in these exchanges. */
export function completeFilter(text: string, records: readonly WireRecord[]): string[] {
  const word = /(?:-?[a-z]+:"[^"]*|\S*)$/i.exec(text)![0]
  const before = text.slice(0, text.length - word.length)
  const [, minus = '', field, typed = ''] = /^(-?)(?:([a-z]+):)?"?(.*)$/i.exec(word)!
  if (field === undefined) {
    const found = WIRE_FILTER_FIELDS.filter((name) => name.startsWith(typed.toLowerCase()))
    return found.map((name) => `${before}${minus}${name}:`)
  }
  const values = new Set<string>()
  for (const record of records) {
    const value = wireFilterValue(field, record)
    if (value !== undefined && value !== '' && value.toLowerCase().includes(typed.toLowerCase()))
      values.add(value)
    if (values.size >= MOST) break
  }
  return [...values].sort().map((value) => `${before}${minus}${field}:${quoted(value)}`)
}

export function quoted(value: string): string {
  return /[\s,"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value
}

/** The filter with a part added, or without it when it has it. */
export function togglePart(filter: string, part: string): string {
  const parts = partsOf(filter)
  const others = parts.filter((one) => one !== part)
  return (others.length < parts.length ? others : [...parts, part]).join(' ')
}

export function hasPart(filter: string, part: string): boolean {
  return partsOf(filter).includes(part)
}

function partsOf(filter: string): string[] {
  return [...filter.matchAll(/-?(?:[a-z]+:)?"[^"]*"|\S+/gi)].map(([part]) => part)
}
