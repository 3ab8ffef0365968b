// Starts a gateway, lets one call go through it, and prints the files that it entered.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configFromValue } from '../../packages/gateway/src/config/index.ts'
import { startGateway } from '../../packages/gateway/src/main.ts'
import { ROOT } from '../lib/paths.mjs'

const META = 'io.modelcontextprotocol'
const stateDir = await mkdtemp(join(tmpdir(), 'gantry-walk-'))
const { model } = await configFromValue(
  {
    stateDir,
    server: { shutdownGrace: 0 },
    mcpServers: { old: { command: process.execPath, args: [join(ROOT, 'tests/fixtures/raw-server.mjs')] } },
  },
  { overrides: { port: 0 } },
)
const gateway = await startGateway({ model, logLevel: 'error' })

async function post(params) {
  const response = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'old_ask',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'old_ask',
        arguments: {},
        _meta: {
          [`${META}/protocolVersion`]: '2026-07-28',
          [`${META}/clientCapabilities`]: { elicitation: { form: {} } },
        },
        ...params,
      },
    }),
  })
  return (await response.json()).result
}

/** Asked, answered, done. */
async function call() {
  const { resultType, inputRequests, requestState } = await post()
  if (resultType !== 'input_required') throw new Error(`no question, but ${resultType}`)
  const answer = { action: 'accept', content: { name: 'Ada' } }
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]))
  const { content } = await post({ inputResponses, requestState })
  if (!content?.[0].text.endsWith('Ada')) throw new Error('the answer did not arrive')
}

// The first call starts the server and loads what is loaded late.
await call()
const walks = []
for (let round = 0; round < 5; round++) {
  const entered = new Set()
  globalThis.enterFile = (file) => entered.add(file)
  await call()
  walks.push(entered)
}
globalThis.enterFile = undefined
await gateway.close()
await rm(stateDir, { recursive: true, force: true })
// What a timer does meanwhile is no part of a call, and not in every one of them.
const [first, ...others] = walks
console.log(JSON.stringify([...first].filter((file) => others.every((entered) => entered.has(file)))))
