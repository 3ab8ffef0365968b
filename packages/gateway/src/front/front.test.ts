import { afterAll, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { modelOf } from '../chain/chain.test.support.ts'
import { startGateway } from '../main.ts'

const app = new Server({ name: 'a', tools: { quick: tool({ run: () => 'quick' }) } })
const model = await modelOf({ mcpServers: { a: { module: 'a' } }, server: { port: 0 } })
const running = await startGateway({ model, logLevel: 'error', embedded: new Map([['a', app]]) })
afterAll(() => running.close({ grace: 0 }))

async function toolsAt(path: string): Promise<string[]> {
  await using client = await connect(running.url + path)
  return (await client.listTools().all()).map(({ name }) => name)
}

describe('the front', () => {
  it.each([
    ['/health', 200],
    ['/ready', 200],
    ['/metrics', 200],
    ['/nothing', 404],
    ['/mcp/nothing', 404],
    ['/mcp/a/b', 404],
    ['/mcp/%zz', 404],
  ])('answers %s with %i', async (path, status) => {
    expect((await fetch(running.url + path)).status).toBe(status)
  })

  it.each([
    ['/mcp', 'a_quick'],
    ['/mcp/a', 'quick'],
  ])('serves %s under the names of that endpoint', async (path, name) => {
    expect(await toolsAt(path)).toEqual([name])
  })

  it('says that it is not ready from the moment that it drains, and serves on', async () => {
    running.front.drain()
    const ready = await fetch(`${running.url}/ready`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toEqual({ status: 'draining' })
    expect(await toolsAt('/mcp')).toEqual(['a_quick'])
  })
})
