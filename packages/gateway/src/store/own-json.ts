/** For what this store writes and reads itself. */
export function toJsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

export function fromJsonBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T
}
