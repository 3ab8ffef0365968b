/** JSON in the one form that RFC 8785 (JCS) gives a value: members by name, no spaces. Undefined members are left out. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const object = value as Readonly<Record<string, unknown>>
  let text = ''
  for (const name of sorted(Object.keys(object))) {
    const member = object[name]
    if (member === undefined) continue
    text += `${text === '' ? '{' : ','}${PLAIN.test(name) ? `"${name}"` : JSON.stringify(name)}:${canonicalJson(member)}`
  }
  return text === '' ? '{}' : `${text}}`
}

/** Names that are written as they are. */
const PLAIN = /^\w*$/

/** Most are in order already. */
function sorted(names: string[]): string[] {
  for (let at = 1; at < names.length; at++) if (names[at - 1]! > names[at]!) return names.sort()
  return names
}
