import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'

const SERVER = fileURLToPath(new URL('../fixtures/go-like-server.mjs', import.meta.url))

describe.each(['ends', 'forgets'])('a server on stdio that %s all subscriptions with one', (mode) => {
  let client: Client
  let updated: string[]
  let grown: number

  beforeEach(async () => {
    client = await connect(stdio(process.execPath, [SERVER, '', mode]))
    updated = []
    grown = 0
    client.on('resourceUpdated', ({ uri }) => updated.push(uri))
  })
  afterEach(() => client.close())

  const touch = (name: string): Promise<unknown> => client.call('touch', { uri: `note://${name}` })
  const openStreams = async (): Promise<number> => Number((await client.call('listeners')).text())

  it('is heard after each new subscription, and no change is made up', async () => {
    client.on('toolsChanged', () => grown++)
    await expect.poll(openStreams).toBe(1)
    await client.subscribe('note://a')
    await touch('a')
    await client.subscribe('note://b')
    await touch('b')
    await touch('a')
    await client.call('grow')
    await expect.poll(() => [updated, grown]).toEqual([['note://a', 'note://b', 'note://a'], 1])
  })

  it('is heard after one of two subscriptions has ended, about the other alone', async () => {
    const a = await client.subscribe('note://a')
    await client.subscribe('note://b')
    a.close()
    await expect.poll(openStreams).toBe(3)
    await touch('a')
    await touch('b')
    await expect.poll(() => updated).toEqual(['note://b'])
  })

  it('is heard after all subscriptions have ended and another begins at once', async () => {
    const a = await client.subscribe('note://a')
    a.close()
    await client.subscribe('note://b')
    await touch('b')
    await expect.poll(() => updated).toEqual(['note://b'])
  })

  it('holds a few streams open, however often subscriptions come and go', async () => {
    await client.subscribe('note://b')
    for (let round = 0; round < 6; round++) (await client.subscribe('note://a')).close()
    expect(await openStreams()).toBeLessThanOrEqual(6)
    await expect.poll(async () => [await touch('b'), updated].at(-1)).toContain('note://b')
  })
})
