import { afterEach, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { rawTarget } from '../support/raw-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway | undefined
afterEach(() => gateway?.close())

it.each(['legacy', 'modern'] as const)(
  'a %s client learns that a slow server is missing, and hears when it is there',
  async (era) => {
    gateway = await testGateway({
      mcpServers: { raw: rawTarget({ initDelay: 1500 }) },
      catalog: { deadline: '200ms' },
    })
    await using client = await connect(gateway.endpoint, { era })
    const changed = new Promise<void>((resolve) => client.on('toolsChanged', () => resolve()))
    await client.listening()
    const first = await client.request('tools/list', {})
    expect(first.tools).toEqual([])
    expect(first._meta?.['dev.gantry/gaps' as never]).toMatchObject([{ target: 'raw', state: 'missing' }])
    await changed
    const then = await client.request('tools/list', {})
    expect((then.tools as unknown[]).length).toBeGreaterThan(0)
    expect(then._meta ?? {}).not.toHaveProperty(['dev.gantry/gaps'])
  },
)
