import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { BOTH_ERAS, testGateway, type TestGateway } from '../support/start-gateway.ts'

let dir: string
let gateway: TestGateway | undefined
let clients: Client[] = []

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-replay-'))
})
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  clients = []
  await gateway?.close()
  await rm(dir, { recursive: true, force: true })
})

async function open(era: 'legacy' | 'modern', asked: string[] = []): Promise<Client> {
  const client = await connect(gateway!.endpoint, {
    era,
    elicit: (params) => {
      asked.push(params.message)
      return { action: 'accept', content: { name: 'Ada' } }
    },
  })
  clients.push(client)
  return client
}

/** Records a short session with one of the asking servers. */
async function record(target: string, era: 'legacy' | 'modern'): Promise<string> {
  const file = join(dir, `${target}.jsonl`)
  gateway = await testGateway(BOTH_ERAS)
  const recorded = gateway.gateway.target(target)!
  await recorded.record(file)
  // Not a fetch that is under way: what it asks may have been asked before.
  await gateway.gateway.catalog.of(recorded)!.fetchAnew()
  const client = await open(era)
  expect((await client.call(`${target}_greet`, {}, { onProgress: () => {} })).text()).toBe('Hello, Ada!')
  expect((await client.call(`${target}_twice`)).text()).toBe('Ada Ada Ada')
  await client.readResource(`${target}+test://thing`)
  await expect(client.call(`${target}_touch`, { unexpected: 1 })).resolves.toBeDefined()
  await recorded.calls.stopRecording()
  await client.close()
  await gateway.close()
  return file
}

describe.each(['old', 'new'])('a recorded session with the %s server', (target) => {
  it.each(['legacy', 'modern'] as const)(
    'recorded by a %s client, is replayed to clients of both eras',
    async (era) => {
      const file = await record(target, era)
      gateway = await testGateway({ mcpServers: { mock: { replay: file } } })
      for (const replayed of ['legacy', 'modern'] as const) {
        const asked: string[] = []
        const progress: number[] = []
        const client = await open(replayed, asked)
        const tools = await client.listTools().all()
        expect(tools.map((tool) => tool.name)).toContain('mock_greet')
        const greeted = await client.call(
          'mock_greet',
          {},
          { onProgress: (update) => progress.push(update.progress) },
        )
        expect(greeted.text()).toBe('Hello, Ada!')
        expect(asked).toEqual(['What is your name?'])
        expect(progress).toContain(1)
        expect((await client.call('mock_twice')).text()).toBe('Ada Ada Ada')
        expect(asked.slice(1).sort()).toEqual(['First?', 'Second?', 'Third?'])
        const { contents } = await client.readResource('mock+test://thing')
        expect(contents[0]).toMatchObject({ uri: 'mock+test://thing', text: 'a thing' })
        await expect(client.call('mock_greet', { other: 1 })).rejects.toThrow(/holds no tools\/call of greet/)
      }
    },
  )
})

describe('a recording', () => {
  it('is readable by its owner alone and survives a last line that was cut off', async () => {
    const file = await record('old', 'modern')
    const text = await readFile(file, 'utf8')
    expect(JSON.parse(text.split('\n', 1)[0]!)).toMatchObject({
      recording: 'gantry',
      version: 1,
      target: 'old',
    })
    await appendFile(file, '{"method":"tools/ca')
    gateway = await testGateway({ mcpServers: { mock: { replay: file } } })
    const client = await open('modern')
    expect((await client.listTools().all()).length).toBeGreaterThan(3)
  })

  it('that cannot be read is refused with the reason', async () => {
    const file = join(dir, 'other.jsonl')
    await writeFile(file, '{"something":"else"}\n')
    gateway = await testGateway({ mcpServers: { mock: { replay: file } } })
    const client = await open('modern')
    expect(await client.listTools().all()).toEqual([])
    expect(gateway.gateway.target('mock')?.main.reason).toMatch(/not the header of a recording/)
  })
})
