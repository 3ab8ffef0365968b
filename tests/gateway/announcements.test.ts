import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
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
      await client.call('test_trigger_prompt_change', {})
      await changed
    },
  )

  it('offers tasks when its revision has them, to clients that can follow them', async () => {
    const { message: found } = await modernRequest(gateway.endpoint, 'server/discover')
    const offered = found.result.capabilities.extensions?.[TASKS] !== undefined
    expect(offered).toBe(era === 'modern')
    const ask = (capabilities: object) =>
      modernRequest(gateway.endpoint, 'tasks/get', { taskId: 'target:none' }, { capabilities })
    const { message: plain } = await ask({})
    expect(plain.error.code).toBe(offered ? -32021 : -32601)
    const { message: able } = await ask({ extensions: { [TASKS]: {} } })
    expect(able.error.code).toBe(offered ? -32602 : -32601)
  })
})
