const LINE = 80

/** JSON as people write it: a short list of plain values stays on its line. */
export function printJson(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    const line = `[${value.map((entry) => JSON.stringify(entry)).join(', ')}]`
    const isPlain = value.every((entry) => typeof entry !== 'object' || entry === null)
    if (value.length === 0 || (isPlain && line.length <= LINE)) return line
    return wrap(
      value.map((entry) => printJson(entry, indent)),
      '[]',
      indent,
    )
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const present = Object.entries(value).filter(([, part]) => part !== undefined)
  if (present.length === 0) return '{}'
  return wrap(
    present.map(([key, part]) => `${JSON.stringify(key)}: ${printJson(part, indent)}`),
    '{}',
    indent,
  )
}

function wrap(entries: readonly string[], brackets: string, indent: string): string {
  const lines = entries.map((entry) => indent + entry.replaceAll('\n', `\n${indent}`))
  return `${brackets[0]}\n${lines.join(',\n')}\n${brackets[1]}`
}
