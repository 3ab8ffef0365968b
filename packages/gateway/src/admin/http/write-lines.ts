import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { writeJson } from '@gantry/mcp/exchange'
import { SECURITY_HEADERS } from './security-headers.ts'

/** Sends values as JSON lines, no faster than they are read. */
export async function writeLines(
  response: ServerResponse,
  values: Iterable<unknown>,
  scrub: (text: string) => string,
): Promise<void> {
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'content-type': 'application/jsonl; charset=utf-8',
    'content-disposition': 'attachment; filename="exchanges.jsonl"',
    'cache-control': 'no-store',
  })
  for (const value of values) {
    if (response.destroyed) return
    if (!response.write(`${scrub(writeJson(value))}\n`)) {
      await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
  }
  response.end()
}
