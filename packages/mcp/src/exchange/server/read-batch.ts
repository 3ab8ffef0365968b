import { classifyMessage, INVALID_REQUEST, type ParsedMessage } from '../../jsonrpc/index.ts'

const MAX_BATCH = 1_000

/** The messages of a batch, or why it is refused as a whole. Only sessions of 2025-03-26 have batches. */
export function readBatch(values: unknown[], version: string | undefined): ParsedMessage[] | string {
  if (version !== '2025-03-26' || values.length === 0) return 'Invalid request: batches are not supported'
  if (values.length > MAX_BATCH) return `Invalid request: a batch may have ${MAX_BATCH} messages`
  return values.map((value) => withoutInitialize(classifyMessage(value)))
}

/** The session is open already, and "initialize" must not be part of a batch (2025-03-26, Lifecycle). */
function withoutInitialize(parsed: ParsedMessage): ParsedMessage {
  if (parsed.kind !== 'request' || parsed.message.method !== 'initialize') return parsed
  const error = { code: INVALID_REQUEST, message: 'Invalid request: initialize stands alone' }
  return { kind: 'invalid', reply: { jsonrpc: '2.0', id: parsed.message.id, error }, isResponse: false }
}
