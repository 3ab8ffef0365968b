import { expect, it } from 'vitest'
import { Server, tool } from '../../../server/index.ts'
import { toFetchHandler } from './fetch-handler.ts'

function post(body: ReadableStream): Request {
  const headers = { 'content-type': 'application/json' }
  return new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
}

it.each([
  ['breaks off', new Error('gone')],
  ['is cancelled', new DOMException('aborted', 'AbortError')],
])('a body that %s is answered, not thrown at the runtime', async (_, reason) => {
  const reported: unknown[] = []
  const app = new Server({
    name: 's',
    tools: { a: tool({ run: () => '' }) },
    configuration: { exceptionReporter: (error) => reported.push(error) },
  })
  const handler = toFetchHandler(app)
  let sent = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) controller.error(reason)
      else controller.enqueue(new TextEncoder().encode('{"jsonrpc":'))
      sent = true
    },
  })
  const response = await handler(post(body))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } })
  expect(reported).toEqual([])
  handler.close()
})
