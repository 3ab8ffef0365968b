import { writeJson } from '@gantry/mcp/exchange'

/** Models read about one token for four bytes. */
export const BYTES_PER_TOKEN = 4

export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

/** Of a value as JSON; nothing for one that is not there. */
export function tokensOfValue(value: unknown): number {
  return value === undefined ? 0 : tokensOf(writeJson(value))
}
