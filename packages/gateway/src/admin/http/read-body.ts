import type { IncomingMessage } from 'node:http'
import { jsonReader } from '@gantry/mcp/exchange'
import { ApiError } from '../api-error.ts'

const readJson = jsonReader('source')

/** Configurations and pasted descriptions are the largest things that are sent here. */
const MAX_BYTES = 8 * 1024 * 1024

/** The JSON of a request; undefined when there is none. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > MAX_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  // The request stays alive when it is too large, so that its sender can be told.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  if (size === 0) return undefined
  // A form of another site cannot send this type without asking first, which it is not allowed to.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new ApiError('bad_request', 'The body has to be JSON', {
      fix: 'Send the header "Content-Type: application/json".',
    })
  }
  try {
    return readJson(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    throw new ApiError('bad_request', `The body cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

function tooLarge(): ApiError {
  return new ApiError('too_large', `The body is larger than ${MAX_BYTES / 1024 / 1024} MB`)
}
