import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const SERVER = fileURLToPath(new URL('../../conformance/server.mjs', import.meta.url))
const TASKS = 'io.modelcontextprotocol/tasks'

describe.each(['legacy', 'modern'] as const)('a %s server behind the gateway', (era) => {
  let gateway: TestGateway

  beforeAll(async () => {
    const target = { command: process.execPath, args: [SERVER, '--stdio', '--era', era], prefix: false }
    gateway = await testGateway({ mcpServers: { target } })
  })
  afterAll(() => gateway.close())

  it.each(['legacy', 'modern'] as const)(
    'announces changes to %s clients that no list shows',
    async (mine) => {
      await using client = await connect(gateway.endpoint, { name: 'test', version: '1', era: mine })
      const changed = new Promise<void>((resolve) => client.on('promptsChanged', () => resolve()))
      await client.listening()
      await client.call('test_trigger_prompt_change', {})
      await changed
    },
  )

  it('offers tasks, its own or the gateway’s, to clients that can follow them', async () => {
    const { message: found } = await modernRequest(gateway.endpoint, 'server/discover')
    expect(found.result.capabilities.extensions).toHaveProperty([TASKS])
    expect(await codeOfUnknownTask(gateway, {})).toBe(-32021)
    expect(await codeOfUnknownTask(gateway, { extensions: { [TASKS]: {} } })).toBe(-32602)
  })
})

it('offers no tasks where no tool can be one', async () => {
  const app = new Server({ name: 'plain', tools: { one: tool({ run: () => 'x' }) } })
  const embedded = new Map([['plain', app]])
  const gateway = await testGateway({ mcpServers: { target: { module: 'plain' } } }, { embedded })
  try {
    const { message: found } = await modernRequest(gateway.endpoint, 'server/discover')
    expect(found.result.capabilities.extensions ?? {}).not.toHaveProperty([TASKS])
    expect(await codeOfUnknownTask(gateway, {})).toBe(-32601)
    expect(await codeOfUnknownTask(gateway, { extensions: { [TASKS]: {} } })).toBe(-32601)
  } finally {
    await gateway.close()
  }
})

async function codeOfUnknownTask({ endpoint }: TestGateway, capabilities: object): Promise<number> {
  const { message } = await modernRequest(endpoint, 'tasks/get', { taskId: 'target:none' }, { capabilities })
  return message.error.code
}
