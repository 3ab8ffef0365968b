import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { BOTH_ERAS, testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await testGateway(BOTH_ERAS)
})
afterAll(() => gateway.close())

/** A client of one era that answers every question with the question's own words. */
function connectAs(era: 'modern' | 'legacy'): Promise<Client> {
  return connect(gateway.endpoint, {
    name: 'bridge-test',
    version: '1',
    era,
    elicit: (params) => ({ action: 'accept', content: { name: params.message } }),
    sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } }),
    roots: [{ uri: 'file:///root' }],
  })
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('It did not happen within 10 s')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe.each(['modern', 'legacy'] as const)('a %s client', (clientEra) => {
  describe.each(['old', 'new'])('reaches the %s server', (target) => {
    it('answers a question in the middle of a call, with progress and logs on the way', async () => {
      await using client = await connectAs(clientEra)
      const progress: number[] = []
      const logs: unknown[] = []
      const result = await client.call(
        `${target}_greet`,
        {},
        {
          logLevel: 'info',
          onProgress: (update) => progress.push(update.progress),
          onLog: (message) => logs.push(message.data),
        },
      )
      expect(result.text()).toBe('Hello, What is your name?!')
      expect(progress).toContain(1)
      expect(logs).toEqual(['greeting What is your name?'])
    })

    it('answers several questions, together and one after the other', async () => {
      await using client = await connectAs(clientEra)
      expect((await client.call(`${target}_twice`, {})).text()).toBe('First? Second? Third?')
    })

    it('lends its model and its roots', async () => {
      await using client = await connectAs(clientEra)
      expect((await client.call(`${target}_capital`, {})).text()).toBe('Paris file:///root')
    })

    it('hears of resources that change, under the names that it knows', async () => {
      await using client = await connectAs(clientEra)
      const updated: string[] = []
      client.on('resourceUpdated', ({ uri }) => updated.push(uri))
      await using _subscription = await client.subscribe(`${target}+test://thing`)
      await client.call(`${target}_touch`, {})
      await until(() => updated.length > 0)
      expect(updated).toEqual([`${target}+test://thing`])
    })

    it('cancels at the target that works, and the target notices', async () => {
      await using client = await connectAs(clientEra)
      const updated: string[] = []
      client.on('resourceUpdated', ({ uri }) => updated.push(uri))
      await using _subscription = await client.subscribe(`${target}+test://cancelled`)
      const abort = new AbortController()
      const call = client.call(`${target}_wait`, {}, { signal: abort.signal })
      await until(() =>
        [...gateway.gateway.exchanges.running].some((record) => record.name === `${target}_wait`),
      )
      abort.abort()
      await expect(call).rejects.toMatchObject({ code: 'cancelled' })
      await until(() => updated.includes(`${target}+test://cancelled`))
    })

    it('reads resources by their public names', async () => {
      await using client = await connectAs(clientEra)
      const { contents } = await client.readResource(`${target}+test://thing`)
      expect(contents).toEqual([{ uri: `${target}+test://thing`, text: 'a thing' }])
    })
  })

  it('hears when a target offers something new', async () => {
    const target = clientEra === 'modern' ? 'old' : 'new'
    await using client = await connectAs(clientEra)
    let changes = 0
    client.on('toolsChanged', () => changes++)
    await client.listening()
    await client.call(`${target}_grow`, {})
    await until(() => changes > 0)
    const names: string[] = []
    for await (const tool of client.listTools()) names.push(tool.name)
    expect(names).toContain(`${target}_grown`)
    expect((await client.call(`${target}_grown`, {})).text()).toBe('I am new')
  })
})
