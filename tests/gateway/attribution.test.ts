import { afterEach, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { rawTarget } from '../support/raw-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway | undefined
const clients: Client[] = []

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await gateway?.close()
  gateway = undefined
})

const KEYS = { ann: 'key-of-ann-0123456789', ben: 'key-of-ben-0123456789' }

async function start(target: object): Promise<void> {
  const apiKeys = Object.entries(KEYS).map(([name, key]) => ({ name, key }))
  gateway = await testGateway({ mcpServers: { raw: target }, auth: { apiKeys } })
}

interface Caller {
  readonly client: Client
  readonly asked: string[]
  readonly logs: unknown[]
}

async function open(era: 'legacy' | 'modern', name: keyof typeof KEYS): Promise<Caller> {
  const asked: string[] = []
  const logs: unknown[] = []
  const headers = { authorization: `Bearer ${KEYS[name]}` }
  const client = await connect(http(gateway!.endpoint, { headers }), {
    era,
    logLevel: 'debug',
    elicit: ({ message }) => {
      asked.push(message)
      return { action: 'accept', content: { name } }
    },
  })
  client.on('log', ({ data }) => logs.push(data))
  clients.push(client)
  return { client, asked, logs }
}

const inFlight = () => gateway!.gateway.target('raw')!.main.calls

describe.each(['legacy', 'modern'] as const)('a call that a %s client gave up', (era) => {
  it('asks and tells nobody else, on a connection that is shared on purpose', async () => {
    await start(rawTarget({}, { isolation: 'shared' }))
    const [ann, ben] = [await open(era, 'ann'), await open(era, 'ben')]
    const given = ann.client.call('raw_stubborn', { ms: 600 }, { timeout: 150 })
    await expect(given).rejects.toMatchObject({ code: 'timeout' })
    await expect.poll(inFlight).toBe(0)
    const late = ben.client.call('raw_late', { nonce: 'x', ms: 1200 })
    expect((await late).text()).toBe('x')
    expect(ben.asked).toEqual([])
    expect(ben.logs).toEqual([])
    expect(ann.asked).toEqual([])
  })
})

describe('calls of one client at the same time', () => {
  it.each(['legacy', 'modern'] as const)('are asked, with isolation: session (%s)', async (era) => {
    await start(rawTarget({}, { isolation: 'session' }))
    const { client } = await open(era, 'ann')
    const results = await Promise.all([1, 2, 3].map(() => client.call('raw_ask')))
    expect(results.map((result) => result.text().split(' ')[1])).toEqual(['ann', 'ann', 'ann'])
  })

  it.each([
    ['legacy', undefined],
    ['legacy', 'session'],
    ['modern', undefined],
    ['modern', 'session'],
  ] as const)('all end, however long each answer takes (%s, isolation: %s)', async (era, isolation) => {
    await start(rawTarget({}, isolation && { isolation }))
    let asked = 0
    const headers = { authorization: `Bearer ${KEYS.ann}` }
    const client = await connect(http(gateway!.endpoint, { headers }), {
      era,
      elicit: async () => {
        await new Promise((resolve) => setTimeout(resolve, [20, 500, 250][asked++ % 3]))
        return { action: 'accept', content: { name: 'ann' } }
      },
    })
    clients.push(client)
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all([1, 2, 3].map(() => client.call('raw_ask')))
      expect(results.map((result) => result.text().split(' ')[1])).toEqual(['ann', 'ann', 'ann'])
    }
  })

  it('are asked on a direct connection', async () => {
    const { command, args } = rawTarget() as { command: string; args: string[] }
    const client = await connect(stdio(command, args), {
      elicit: () => ({ action: 'accept', content: { name: 'me' } }),
    })
    clients.push(client)
    const results = await Promise.all([1, 2, 3].map(() => client.call('ask')))
    expect(results.map((result) => result.text().split(' ')[1])).toEqual(['me', 'me', 'me'])
  })
})
