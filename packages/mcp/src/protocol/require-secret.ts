import { McpError } from '../jsonrpc/index.ts'

/** 128 bits, if every byte is random. */
export const SHORTEST_SECRET = 16

/** Refuses a secret that can be guessed. An empty secret usually comes from a variable that is not set. */
export function requireSecret(secret: string | Uint8Array, what: string): void {
  const length = typeof secret === 'string' ? new TextEncoder().encode(secret.trim()).length : secret.length
  if (length >= SHORTEST_SECRET) return
  const problem = length === 0 ? 'is empty' : `has ${length} bytes, and ${SHORTEST_SECRET} are the least`
  const fix = 'Make one with: openssl rand -base64 32'
  throw new McpError('invalid_config', `${what} ${problem}. ${fix}`, { details: { fix } })
}
