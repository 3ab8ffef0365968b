import { expect, it } from 'vitest'
import { Client } from '../../client/index.ts'
import { eras } from '../../testing/index.ts'
import { memory } from '../../transport/memory.ts'
import { type ResourceList, Server } from '../index.ts'

const notes: Record<string, string[]> = { ann: ['note://1', 'note://2', 'note://3'], bob: ['note://4'] }
const app = new Server({
  name: 's',
  resources: { help: { uri: 'note://help', text: 'help' } },
  cache: { resources: { ttl: '1m' } },
  resourcesListHandler: ({ cursor }, ctx) => {
    const mine = notes[ctx.auth?.principal.subject ?? ''] ?? []
    const from = Number(cursor ?? 0)
    const next = from + 2 < mine.length ? `${from + 2}` : undefined
    return { resources: mine.slice(from, from + 2).map((uri) => ({ uri })), nextCursor: next }
  },
  resourcesReadHandler: ({ uri }, ctx) =>
    notes[ctx.auth?.principal.subject ?? '']?.includes(uri)
      ? `${uri} of ${ctx.auth?.principal.subject}`
      : undefined,
})
const as = (subject: string) => ({
  context: { auth: { principal: { kind: 'person' as const, subject }, scopes: [], claims: {} } },
})

it('lists what is registered, and behind it what the handler has for the caller, over pages', async () => {
  const expected = {
    ann: ['note://help', ...notes.ann!],
    bob: ['note://help', 'note://4'],
    eve: ['note://help'],
  }
  for (const [who, uris] of Object.entries(expected)) {
    await eras(
      app,
      async ({ client }) => {
        const listed = await client.listResources().all()
        expect(listed.map(({ uri }) => uri)).toEqual(uris)
        expect(listed.every(({ name }) => typeof name === 'string')).toBe(true)
        if (who === 'bob')
          expect((await client.readResource('note://4')).contents[0]).toMatchObject({
            text: 'note://4 of bob',
          })
      },
      as(who),
    )
  }
})

it('what is listed for one caller is not public, whatever is registered', async () => {
  await using client = new Client({ connector: memory(app, as('bob')), protocolVersion: '2026-07-28' })
  expect(await client.request('resources/list')).toMatchObject({ cacheScope: 'private', ttlMs: 60_000 })
})

it('goes on behind the pages of what is registered', async () => {
  const paged = new Server({
    name: 's',
    pageSize: 1,
    resources: { a: { uri: 'r://a', text: '' }, b: { uri: 'r://b', text: '' } },
    resourcesListHandler: async () => [{ uri: 'r://c', name: 'c', title: 'C' }],
  })
  await eras(paged, async ({ client }) => {
    expect((await client.listResources().all()).map(({ uri }) => uri)).toEqual(['r://a', 'r://b', 'r://c'])
  })
})

it('is enough to have resources at all', async () => {
  const only = new Server({ name: 's', resourcesListHandler: () => [] })
  await eras(only, async ({ client }) => {
    expect(
      client.serverCapabilities?.resources ?? (await client.discover()).capabilities.resources,
    ).toBeDefined()
    expect(await client.listResources().all()).toEqual([])
  })
})

it.each([
  ['no list', 'nothing' as unknown, 'neither resources nor'],
  ['a resource without a URI', [{ name: 'x' }] as unknown, 'without a uri'],
])('%s is reported', async (_, value, message) => {
  const heard: string[] = []
  const wrong = new Server({
    name: 's',
    configuration: { exceptionReporter: (thrown) => heard.push(String(thrown)) },
    resourcesListHandler: () => value as ResourceList,
  })
  await using client = new Client({ connector: memory(wrong) })
  await expect(client.listResources().all()).rejects.toMatchObject({ message: 'Internal error' })
  expect(heard[0]).toContain(message)
})

it('a question in it is refused, and not asked', async () => {
  const heard: string[] = []
  const asking = new Server({
    name: 's',
    configuration: { exceptionReporter: (thrown) => heard.push(String(thrown)) },
    resourcesListHandler: async (_params, ctx) => ((await ctx.confirm('Really?')) ? [] : []),
  })
  const elicit = () => ({ action: 'accept' as const })
  for (const era of ['legacy', 'modern'] as const) {
    await using client = new Client({ connector: memory(asking), era, elicit })
    await expect(client.listResources().all()).rejects.toMatchObject({ message: 'Internal error' })
    expect(heard.pop()).toContain('cannot ask')
  }
})
