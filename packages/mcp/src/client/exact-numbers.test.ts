import { afterEach, describe, expect, it } from 'vitest'
import { Server, tool } from '../server/index.ts'
import { memory } from '../transport/memory.ts'
import { Client } from './client.ts'

const BIG = 9_007_199_254_740_993n
const closing: Client[] = []
afterEach(async () => {
  for (const client of closing.splice(0)) await client.close()
})

const N = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const

function createApp(numbers: 'exact' | 'rounded'): Server {
  const app = new Server({
    name: 'exact',
    numbers,
    alwaysReplay: true,
    tools: {
      next: tool({
        input: N,
        output: N,
        run: async ({ n }: { n: number }, context) => {
          await context.log('info', { n: BigInt(n) })
          return { n: (BigInt(n) + 1n) as unknown as number }
        },
      }),
      ask: tool({
        run: async (_, context) => {
          const { n } = (await context.elicit('n?', N)) as { n: unknown }
          return `${typeof n} ${n}`
        },
      }),
    },
  })
  return app
}

describe.each(['legacy', 'modern'] as const)('a %s client that wants exact integers', (era) => {
  function open(app: Server): Client {
    const client = new Client({
      connector: memory(app),
      era,
      numbers: 'exact',
      logLevel: 'info',
      elicit: () => ({ action: 'accept', content: { n: BIG as unknown as number } }),
    })
    closing.push(client)
    return client
  }

  it('sends and gets them', async () => {
    const client = open(createApp('exact'))
    const logs: unknown[] = []
    client.on('log', ({ data }) => logs.push(data))
    await client.listTools().all()
    const result = await client.call('next', { n: BIG })
    expect(result.structured).toEqual({ n: BIG + 1n })
    expect(result.text()).toBe('{"n":9007199254740994}')
    expect((await client.call('next', { n: 1 })).structured).toEqual({ n: 2 })
    await expect.poll(() => logs).toEqual([{ n: BIG }, { n: 1 }])
  })

  it('answers with them', async () => {
    expect((await open(createApp('exact')).call('ask')).text()).toBe(`bigint ${BIG}`)
    expect((await open(createApp('rounded')).call('ask')).text()).toBe('number 9007199254740992')
  })

  it('hears of a handler whose server did not ask for them', async () => {
    expect((await open(createApp('rounded')).call('next', { n: 1 })).isError).toBe(true)
  })
})
