import { afterEach, expect, it } from 'vitest'
import { Server } from '@gantry/mcp/server'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const LIMIT = 5
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'

let gateway: TestGateway | undefined
afterEach(() => gateway?.close())

it('lets a caller at a hundred times its limit take nothing from others', async () => {
  const calls: Record<string, number> = {}
  const here = new Server({
    name: 'here',
    tools: {
      echo: {
        run: (_args, { client }) => {
          const name = client.info?.name ?? ''
          calls[name] = (calls[name] ?? 0) + 1
          return name
        },
      },
    },
  })
  gateway = await testGateway(
    // The slots of the target are fewer than the calls: one that is refused must not have one, nor wait for it.
    {
      mcpServers: { here: { module: 'here', concurrency: 2 } },
      limits: { rates: [{ name: 'each', rate: `${LIMIT}/h` }] },
    },
    { embedded: new Map([['here', here]]) },
  )
  const call = async (name: string): Promise<number> => {
    const meta = { [CLIENT_INFO]: { name, version: '1' } }
    const { status } = await modernRequest(gateway!.endpoint, 'tools/call', { name: 'here_echo' }, { meta })
    return status
  }
  const greedy = Array.from({ length: LIMIT * 100 }, () => call('greedy'))
  const polite = ['ann', 'bo'].flatMap((name) => Array.from({ length: LIMIT }, () => call(name)))
  expect(new Set(await Promise.all(polite))).toEqual(new Set([200]))
  const statuses = await Promise.all(greedy)
  expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT)
  expect(statuses.filter((status) => status === 429)).toHaveLength(LIMIT * 99)
  expect(calls).toEqual({ ann: LIMIT, bo: LIMIT, greedy: LIMIT })
})
