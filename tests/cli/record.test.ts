import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { GANTRY, openWorkshop, type Workshop } from './support/gantry.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
  await shop.write(
    'gantry.json',
    JSON.stringify({ mcpServers: { ask: { command: 'node', args: [ASKING_SERVER] } } }),
  )
})
afterEach(() => shop.close())

const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } })

async function useIt(endpoint: string): Promise<void> {
  const client = await connect(endpoint, { elicit })
  expect((await client.call('ask_greet')).text()).toBe('Hello, Ada!')
  await client.close()
}

describe('gantry record', () => {
  it('records a gateway that runs, whose clients notice nothing, and what it wrote is replayed', async () => {
    const gateway = shop.start('serve', '--port', '0')
    await gateway.says(/Ctrl/)
    const recording = shop.start('record', 'ask', 'session.jsonl')
    await expect.poll(() => recording.err).toContain('Recording ask. Press Ctrl+C to stop.')
    await useIt(await gateway.endpoint())
    const { code, out } = await recording.stop('SIGINT')
    expect([code, out]).toEqual([0, expect.stringMatching(/✓ session\.jsonl has \d+ exchanges/)])
    expect((await stat(join(shop.dir, 'session.jsonl'))).mode & 0o777).toBe(0o600)
    await gateway.stop()

    const mock = shop.start('replay', 'session.jsonl', '--port', '0')
    const asked: string[] = []
    const client = await connect(await mock.endpoint(), {
      elicit: ({ message }) => {
        asked.push(message)
        return elicit()
      },
    })
    expect((await client.listTools().all()).map(({ name }) => name)).toContain('greet')
    expect((await client.call('greet')).text()).toBe('Hello, Ada!')
    expect(asked).toEqual(['What is your name?'])
    await client.close()
  })

  it('starts a gateway when none runs', async () => {
    const recording = shop.start('record', 'ask', '--port', '0')
    await recording.says(/Ctrl/)
    await useIt(await recording.endpoint())
    expect((await recording.stop('SIGINT')).out).toMatch(/✓ ask\.jsonl has \d+ exchanges/)
    const lines = (await readFile(join(shop.dir, 'ask.jsonl'), 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).method)).toEqual(
      expect.arrayContaining(['tools/list', 'tools/call']),
    )
  })

  it('refuses to replace a file, an unknown target, and a place where nothing can be written', async () => {
    await shop.write('ask.jsonl', 'mine')
    expect(await shop.run('record', 'ask')).toMatchObject({
      code: 1,
      err: expect.stringContaining('ask.jsonl is there already'),
    })
    expect(await readFile(join(shop.dir, 'ask.jsonl'), 'utf8')).toBe('mine')
    const unknown = await shop.run('record', 'nobody', '--port', '0')
    expect([unknown.code, unknown.err]).toEqual([
      1,
      expect.stringMatching(/no target "nobody"[\s\S]*Targets: ask/),
    ])
    const nowhere = await shop.run('record', 'ask', 'no/such/folder/x.jsonl', '--port', '0')
    expect([nowhere.code, nowhere.err]).toEqual([
      1,
      expect.stringMatching(/no such file or directory[\s\S]*Choose another place/),
    ])
  })
})

describe('gantry replay', () => {
  it('serves on stdio', async () => {
    const recording = shop.start('record', 'ask', '--port', '0')
    await recording.says(/Ctrl/)
    await useIt(await recording.endpoint())
    await recording.stop('SIGINT')
    const args = [GANTRY, 'replay', 'ask.jsonl', '--stdio']
    const client = await connect(
      stdio({ command: process.execPath, args, cwd: shop.dir, env: { HOME: shop.dir } }),
      { elicit },
    )
    expect((await client.call('greet')).text()).toBe('Hello, Ada!')
    await client.close()
  })

  it.each([
    [['none.jsonl'], /There is no file none\.jsonl/],
    [['gantry.json'], /not the header of a recording/],
    [['gantry.json', '--speed', 'fast'], /"fast" is not a speed/],
  ])('refuses %s', async (args, message) => {
    const { code, err } = await shop.run('replay', ...args)
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
  })
})
