/** Base64 of bytes; a string is taken to be base64 already. */
export function toBase64(data: Uint8Array | string): string {
  if (typeof data === 'string') return data
  let binary = ''
  // Chunks keep the argument count of fromCharCode within what engines allow.
  for (let at = 0; at < data.length; at += 0x8000) {
    binary += String.fromCharCode(...data.subarray(at, at + 0x8000))
  }
  return btoa(binary)
}

export function toBase64Url(data: Uint8Array): string {
  return toBase64(data).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Strict: undefined for anything that `toBase64Url` would not have written. */
export function fromBase64Url(value: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(value)) return undefined
  try {
    const binary = atob(value.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = new Uint8Array(binary.length)
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
    return bytes
  } catch {
    return undefined
  }
}
