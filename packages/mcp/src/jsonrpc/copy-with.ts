/** `{ ...object, [key]: value }`, ten times faster in Node 20 (docs/adr/0010), and safe for `__proto__`. */
export function copyWith(object: object, key: string, value: unknown): { [key: string]: unknown } {
  const copy: { [key: string]: unknown } = { [key]: undefined, ...object }
  copy[key] = value
  return copy
}
