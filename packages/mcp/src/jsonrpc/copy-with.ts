/**
 * `{ ...object, [key]: value }` for what is done with every call. In Node 20 a member that is added after a spread
 * makes it ten times as slow (docs/adr/0062), so its place is made before; `Object.assign` would be as fast, but
 * takes a member called `__proto__` for something else.
 */
export function copyWith(object: object, key: string, value: unknown): { [key: string]: unknown } {
  const copy: { [key: string]: unknown } = { [key]: undefined, ...object }
  copy[key] = value
  return copy
}
