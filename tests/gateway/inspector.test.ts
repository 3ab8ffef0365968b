import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openInspector, type OpenInspector } from '../support/open-inspector.ts'
import { BOTH_ERAS, testGateway, type TestGateway } from '../support/start-gateway.ts'

let inspector: OpenInspector
let gateway: TestGateway

beforeAll(async () => {
  inspector = await openInspector()
  gateway = await testGateway(BOTH_ERAS)
}, 300_000)
afterAll(async () => {
  await gateway?.close()
  await inspector?.close()
})

describe.each([
  ['legacy', 'http', '/mcp'],
  ['modern', 'http', '/mcp'],
  ['auto', 'http', '/mcp'],
  ['legacy', 'sse', '/sse'],
])('the Inspector 2.12 in front of the gateway, %s over %s', (era, transport, path) => {
  const inspect = (...args: string[]) =>
    inspector.inspect(gateway.url + path, '--protocol-era', era, '--transport', transport, ...args)

  it('lists the tools of servers of both eras', async () => {
    const { tools } = await inspect('--method', 'tools/list', '--strict')
    const names = (tools as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['old_touch', 'new_touch']))
  })

  it('calls them, and reads their resources', async () => {
    for (const target of ['old', 'new']) {
      const call = ['--method', 'tools/call', '--tool-name', `${target}_touch`]
      expect(await inspect(...call)).toMatchObject({ content: [{ text: 'touched' }] })
      const uri = `${target}+test://thing`
      const read = ['--method', 'resources/read', '--uri', uri]
      expect(await inspect(...read)).toMatchObject({ contents: [{ uri, text: 'a thing' }] })
    }
  })
})
