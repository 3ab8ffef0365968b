/** JSON in the one form that RFC 8785 (JCS) gives a value: members by name, no spaces. Undefined members are left out. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const object = value as Readonly<Record<string, unknown>>
  const members: string[] = []
  for (const name of Object.keys(object).sort()) {
    if (object[name] !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(object[name])}`)
  }
  return `{${members.join(',')}}`
}
