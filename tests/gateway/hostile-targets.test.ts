import { fileURLToPath } from 'node:url'
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OfficialHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { modernRequest } from '../support/raw-client.ts'
import { ASKING_SERVER, testGateway, type TestGateway } from '../support/start-gateway.ts'

const FAULTY = fileURLToPath(new URL('../fixtures/faulty-server.mjs', import.meta.url))
const MEGABYTE = 1024 * 1024
const GAPS = 'dev.gantry/gaps'
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(fault: string, config: object = {}, target: object = {}): Promise<TestGateway> {
  const gateway = await testGateway({
    mcpServers: {
      bad: { command: process.execPath, args: [FAULTY, fault], era: 'legacy', ...target },
      good: { command: process.execPath, args: [ASKING_SERVER] },
    },
    ...config,
  })
  closing.push(() => gateway.close())
  return gateway
}

async function open(gateway: TestGateway, era: 'legacy' | 'modern' = 'modern'): Promise<Client> {
  const client = await connect(gateway.endpoint, { era })
  closing.push(() => client.close())
  return client
}

async function names(client: Client): Promise<string[]> {
  const found: string[] = []
  for await (const { name } of client.listTools()) found.push(name)
  return found
}

describe('a process that says too much', () => {
  it('passes 50 MB on from stdio to both eras', async () => {
    const gateway = await start('none')
    for (const era of ['legacy', 'modern'] as const) {
      const client = await open(gateway, era)
      const result = await client.call('bad_large', { bytes: 50 * MEGABYTE })
      expect(result.text()).toHaveLength(50 * MEGABYTE)
    }
  })

  it('is refused more than is allowed, and can be called again', async () => {
    const gateway = await start('none', { server: { limits: { resultBytes: '1mb' } } })
    const client = await open(gateway)
    await expect(client.call('bad_large', { bytes: 8 * MEGABYTE })).rejects.toMatchObject({
      message: expect.stringMatching(/Target "bad"/),
      data: { target: 'bad', reason: 'too_large' },
    })
    expect((await client.call('bad_pid')).text()).toMatch(/^\d+$/)
    expect(await names(client)).toContain('good_greet')
  })

  it.each(['flood_stdout', 'flood_stderr'])(
    '%s: the answer still comes, and little is kept',
    async (name) => {
      const gateway = await start('none')
      const client = await open(gateway)
      expect((await client.call(`bad_${name}`, { lines: 200_000 })).text()).toMatch(/^\d+$/)
      const kept = JSON.stringify(gateway.gateway.target('bad')!.stderr.tail(1e6))
      expect(kept.length).toBeLessThan(MEGABYTE)
      expect(await names(client)).toContain('good_greet')
    },
  )
})

describe('a process that never stops writing', () => {
  it.each(['floods-stdout', 'floods-stderr'])('%s: the others do not wait for it', async (fault) => {
    const gateway = await start(fault)
    const client = await open(gateway)
    expect(await names(client)).toEqual(expect.arrayContaining(['bad_pid', 'good_greet']))
    // Long enough for the flood to be in full flow.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const began = Date.now()
    for (let call = 0; call < 10; call++) await client.call('good_touch')
    expect(Date.now() - began).toBeLessThan(10_000)
  })
})

describe('a process that makes no sense', () => {
  it.each(['number', 'nothing'])(
    '%s: an answer of the wrong type is an error that names the target',
    async (name) => {
      const client = await open(await start('none', {}, { timeouts: { idle: 1500 } }))
      await expect(client.call(`bad_${name}`)).rejects.toMatchObject({ data: { target: 'bad' } })
      expect((await client.call('bad_pid')).text()).toMatch(/^\d+$/)
    },
  )

  it('has the sound part of its list used, also by clients that check every entry', async () => {
    const gateway = await start('junk-list')
    const found = await names(await open(gateway))
    expect(found).toEqual(expect.arrayContaining(['bad_pid', 'bad_bare', 'good_greet']))
    expect(found.every((name) => /^(bad|good)_\w+$/.test(name))).toBe(true)
    const official = new OfficialClient({ name: 'strict', version: '1' })
    // biome-ignore lint/suspicious/noExplicitAny: the official types do not allow exact optional properties
    await official.connect(new OfficialHttp(new URL(gateway.endpoint)) as any)
    closing.push(() => official.close())
    expect((await official.listTools()).tools.map(({ name }) => name)).toEqual(found)
  })

  it('is given up when its list never ends', async () => {
    const gateway = await start('endless-list', { catalog: { deadline: 1500 } })
    const began = Date.now()
    const list = async () => (await modernRequest(gateway.endpoint, 'tools/list')).message.result
    await list()
    expect(Date.now() - began).toBeLessThan(10_000)
    const shown = async () => {
      const { tools, _meta } = await list()
      return [tools.map((one: { name: string }) => one.name), _meta?.[GAPS]]
    }
    const gap = { target: 'bad', state: 'missing', reason: expect.stringMatching(/more than 1000 pages/) }
    await expect.poll(shown).toMatchObject([expect.arrayContaining(['good_greet']), [gap]])
  })

  it('is refused when it speaks a revision from the future', async () => {
    const gateway = await start('from-the-future')
    const { result } = (await modernRequest(gateway.endpoint, 'tools/list')).message
    expect(result._meta[GAPS]).toMatchObject([
      { target: 'bad', state: 'missing', reason: expect.stringMatching(/cannot use.*gantry doctor bad/) },
    ])
    expect(result.tools.map((one: { name: string }) => one.name)).toContain('good_greet')
  })
})
