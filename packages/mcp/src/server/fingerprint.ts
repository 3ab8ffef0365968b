/** A short fingerprint (FNV-1a, 64 bits in two halves). Not a secret: the state that holds it is sealed. */
export function fingerprint(text: string): string {
  let low = 0x811c9dc5
  let high = 0xcbf29ce4
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ (code + i), 0x01000193)
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36)
}
