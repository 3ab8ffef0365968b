import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { modernRequest } from '../support/raw-client.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const SERVER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
let replicas: Replicas

beforeAll(async () => {
  const counter = { command: process.execPath, args: [SERVER], env: { REVISIONS: '2025-11-25' } }
  replicas = await startReplicas(2, {
    mcpServers: { counter },
    server: { drainDelay: '100ms', shutdownGrace: '30s' },
  })
})
afterAll(() => replicas?.close())

const call = async (at: number, name: string, more: object = {}) => {
  const params = { name: `counter_${name}`, arguments: {}, ...more }
  return (await modernRequest(replicas.all[at]!.endpoint, 'tools/call', params)).message.result
}

it('a call that waits for its client ends well at another gateway while the one that has it is told to stop', async () => {
  const parent = Number((await call(0, 'parent')).content[0].text)
  const owner = replicas.all.findIndex(({ child }) => child.pid === parent)
  const other = 1 - owner
  const asked = await call(owner, 'greet')
  const [question] = Object.keys(asked.inputRequests)
  const { child, url } = replicas.all[owner]!
  child.kill('SIGTERM')
  const takesClients = () => fetch(`${url}/health`).then(Boolean, () => false)
  await vi.waitUntil(async () => !(await takesClients()), { timeout: 30_000 })
  // Nothing is under way there, and a gateway that waited for nothing would be gone by now.
  await sleep(2_000)
  const answered = await call(other, 'greet', {
    requestState: asked.requestState,
    inputResponses: { [question!]: { action: 'accept', content: { name: 'you' } } },
  })
  expect(answered.content[0].text).toBe('Hello, you!')
  // Then nothing keeps it.
  await vi.waitUntil(() => child.exitCode !== null || child.signalCode !== null, { timeout: 10_000 })
})
