import { afterEach, expect, it } from 'vitest'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { testGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A legacy server that asks its client for something first, goes on without it, and then fails for its own reason. */
const SERVER = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
let call
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, error } = JSON.parse(line)
  if (method === 'initialize') {
    const serverInfo = { name: 'browser', version: '1' }
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } })
  } else if (method === 'tools/list') {
    const names = ['result', 'error']
    send({ id, result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } })
  } else if (method === 'tools/call') {
    call = { id, name: params.name }
    send({ id: 'q', method: params.arguments.ask, params: { messages: [], maxTokens: 1, message: '?', requestedSchema: { type: 'object', properties: {} } } })
  } else if (id === 'q') {
    const text = 'Run "npx playwright install chrome" first (' + (error ? 'refused' : 'answered') + ')'
    if (call.name === 'error') send({ id: call.id, error: { code: -32050, message: text } })
    else send({ id: call.id, result: { isError: true, content: [{ type: 'text', text }] } })
  }
})`

it.each(['roots/list', 'sampling/createMessage', 'elicitation/create'])(
  "shows every client the server's own error, also when it could not be asked by %s",
  async (ask) => {
    const browser = { command: process.execPath, args: ['-e', SERVER], era: 'legacy' }
    const gateway = await testGateway({ mcpServers: { browser } })
    closing.push(() => gateway.close())
    const session = await openSession(gateway.endpoint)
    for (const name of ['browser_result', 'browser_error']) {
      const params = { name, arguments: { ask } }
      for (const { message } of [
        await modernRequest(gateway.endpoint, 'tools/call', params, { capabilities: {} }),
        await legacyRequest(gateway.endpoint, 'tools/call', params, { session }),
      ]) {
        expect(JSON.stringify(message)).toContain('npx playwright install chrome')
        expect(JSON.stringify(message)).toContain('refused')
        if (name === 'browser_error') expect(message.error.code).toBe(-32050)
        else expect(message.result.isError).toBe(true)
      }
    }
  },
)
