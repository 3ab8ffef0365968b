import { writeJson } from '@gantry/mcp/exchange'

/** Models read about one token for four bytes. */
export const BYTES_PER_TOKEN = 4

export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

/** The tokens of a value as JSON; 0 when it is undefined. */
export function tokensOfValue(value: unknown): number {
  return value === undefined ? 0 : tokensOf(writeJson(value))
}
