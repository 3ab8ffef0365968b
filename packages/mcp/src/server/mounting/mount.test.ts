import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { Client } from '../../client/index.ts'
import { REVISIONS } from '../../protocol/index.ts'
import { eras } from '../../testing/index.ts'
import { memory } from '../../transport/memory.ts'
import { prompt, resource, resourceLink, Server, template, tool } from '../index.ts'

function createNotes() {
  return new Server({
    name: 'notes',
    pageSize: 2,
    tools: {
      add: tool({
        input: z.object({ text: z.string() }),
        output: z.object({ id: z.number() }),
        run: () => ({ id: 7 }),
      }),
      link: tool({ run: () => resourceLink({ uri: 'note://1', name: 'one' }) }),
      ask: tool({
        run: async (_args, ctx) => {
          await ctx.progress(1, 2)
          return (await ctx.confirm('Sure?')) ? `for ${ctx.auth?.principal.subject}` : 'no'
        },
      }),
      hidden: tool({ when: ({ auth }) => auth?.principal.subject === 'ann', run: () => 'for ann' }),
    },
    prompts: {
      greet: prompt({
        arguments: { who: { required: true, complete: () => ['Ada', 'Bob'] } },
        run: ({ who }) => `Hello ${who}`,
      }),
    },
    resources: { one: resource({ uri: 'note://1', text: 'first' }) },
    templates: { any: template({ uriTemplate: 'note://any/{id}', read: ({ id }) => `note ${id}` }) },
  })
}
const ann = { auth: { principal: { kind: 'person' as const, subject: 'ann' }, scopes: [], claims: {} } }

/** The same server, mounted in each way. */
const WAYS = {
  'a server': () => createNotes(),
  'a client of an older server': () =>
    new Client<ReturnType<typeof createNotes>>({
      connector: memory(createNotes(), { context: ann }),
      era: 'legacy',
      capabilities: { elicitation: { form: {} } },
    }),
  'a client of a newer server': () =>
    new Client<ReturnType<typeof createNotes>>({
      connector: memory(createNotes(), { context: ann }),
      era: 'modern',
    }),
}

describe.each(Object.entries(WAYS))('%s that is mounted', (_, createOther) => {
  const createApp = () =>
    new Server({ name: 'outer', tools: { own: tool({ run: () => 'own' }) } }).mount(
      'notes',
      createOther() as Server,
    )

  it('is listed behind what the server has, under its prefix', async () => {
    await eras(
      createApp,
      async ({ client }) => {
        const capabilities = client.serverCapabilities ?? (await client.discover()).capabilities
        expect(capabilities).toMatchObject({ prompts: {}, resources: {}, tools: {} })
        const names = (await client.listTools().all()).map(({ name }) => name)
        expect(names).toEqual(['own', 'notes_add', 'notes_link', 'notes_ask', 'notes_hidden'])
        expect((await client.listPrompts().all()).map(({ name }) => name)).toEqual(['notes_greet'])
        expect((await client.listResources().all()).map(({ uri }) => uri)).toEqual(['notes+note://1'])
        expect((await client.listResourceTemplates().all())[0]).toMatchObject({
          uriTemplate: 'notes+note://any/{id}',
        })
      },
      { context: ann, revisions: REVISIONS },
    )
  })

  it('answers calls, prompts, reads and completions', async () => {
    await eras(
      createApp,
      async ({ client }) => {
        expect((await client.call('own')).text()).toBe('own')
        expect((await client.call('notes_add', { text: 'x' })).json()).toEqual({ id: 7 })
        expect((await client.call('notes_hidden')).text()).toBe('for ann')
        const [link] = (await client.call('notes_link')).raw.content as unknown[]
        expect((link as { uri?: string }).uri ?? JSON.stringify(link)).toContain('notes+note://1')
        expect((await client.readResource('notes+note://1')).contents[0]).toMatchObject({
          uri: 'notes+note://1',
          text: 'first',
        })
        expect((await client.readResource('notes+note://any/3')).contents[0]).toMatchObject({
          text: 'note 3',
        })
        expect((await client.getPrompt('notes_greet', { who: 'Ada' })).messages[0]?.content).toMatchObject({
          text: 'Hello Ada',
        })
        const reference = { type: 'ref/prompt' as const, name: 'notes_greet' }
        expect((await client.complete(reference, { name: 'who', value: '' })).values).toEqual(['Ada', 'Bob'])
      },
      { context: ann },
    )
  })

  it('asks the caller, and tells it of progress', async () => {
    await eras(
      createApp,
      async ({ client, answers }) => {
        answers.accept()
        const heard: number[] = []
        const result = await client.call(
          'notes_ask',
          {},
          { onProgress: ({ progress }) => heard.push(progress) },
        )
        expect([result.text(), heard[0]]).toEqual(['for ann', 1])
      },
      { context: ann, tolerateReplayWarnings: true },
    )
  })

  it('what is not there is refused by its public name', async () => {
    await eras(createApp, async ({ client }) => {
      await expect(client.call('notes_ghost')).rejects.toMatchObject({ message: 'Unknown tool: notes_ghost' })
      await expect(client.call('other_add')).rejects.toMatchObject({ message: 'Unknown tool: other_add' })
      await expect(client.readResource('notes+note://9')).rejects.toMatchObject({
        message: 'Resource not found: notes+note://9',
        data: { uri: 'notes+note://9' },
      })
    })
  })
})

it.each(['legacy', 'modern'] as const)('news of what is mounted reach a %s client', async (era) => {
  const notes = createNotes()
  const inner = new Client({ connector: memory(createNotes()), era: 'modern' })
  const app = new Server({ name: 'outer' }).mount('notes', notes as Server).mount('far', inner)
  await using client = new Client({ connector: memory(app), era })
  const news: string[] = []
  client.on('toolsChanged', () => news.push('tools'))
  client.on('resourceUpdated', ({ uri }) => news.push(uri))
  await client.connect()
  await client.listening()
  await using _subscription = await client.subscribe('notes+note://1')
  await expect
    .poll(() => {
      notes.notifyResourceUpdated('note://1')
      return news
    })
    .toContain('notes+note://1')
  notes.tool('late', { run: () => 'late' })
  await expect.poll(() => news).toContain('tools')
  expect((await client.call('notes_late')).text()).toBe('late')
  await client.close()
  // What listens at the mounted server ends with the client.
  await expect.poll(() => notes.listeners).toBe(0)
})

it('a server that is away takes nothing from the lists of the others, and its calls say so', async () => {
  const heard: unknown[] = []
  const away = new Client({
    connector: { kind: 'memory', open: () => Promise.reject(new Error('secret address')) } as never,
  })
  const app = new Server({
    name: 'outer',
    configuration: { exceptionReporter: (thrown) => heard.push(thrown) },
    tools: { own: tool({ run: () => 'own' }) },
  })
    .mount('away', away)
    .mount('notes', createNotes() as Server)
  await using client = new Client({ connector: memory(app) })
  expect((await client.listTools().all()).map(({ name }) => name)).toContain('notes_add')
  await expect(client.call('away_x')).rejects.toMatchObject({
    message: 'The server behind "away" does not answer',
  })
  expect(heard.length).toBeGreaterThan(0)
})

it('own names come first, and what cannot be mounted is refused with the reason', async () => {
  const app = new Server({ name: 'outer', tools: { notes_add: tool({ run: () => 'mine' }) } }).mount(
    'notes',
    createNotes() as Server,
  )
  await using client = new Client({ connector: memory(app) })
  expect((await client.call('notes_add')).text()).toBe('mine')
  expect((await client.listTools().all()).filter(({ name }) => name === 'notes_add')).toHaveLength(1)
  expect(() => app.mount('notes', createNotes() as Server)).toThrow('already something mounted as "notes"')
  for (const prefix of ['', 'A', 'a_b', '1a', 'a b', 'x'.repeat(33)]) {
    expect(() => app.mount(prefix, createNotes() as Server)).toThrow('is not a prefix')
  }
  const inner = new Server({ name: 'inner' })
  inner.mount('outer', app)
  expect(() => app.mount('inner', inner)).toThrow('in itself')
  expect(() => app.mount('self', app)).toThrow('in itself')
})

it('typed clients know what is mounted', async () => {
  const far = new Client<ReturnType<typeof createNotes>>({ connector: memory(createNotes()) })
  const app = new Server({ name: 'outer', tools: { own: { run: () => 'own' } } })
    .mount('notes', createNotes())
    .mount('far', far)
  await using client = new Client<typeof app>({ connector: memory(app) })
  expectTypeOf(client.tools.notes_add).parameter(0).toEqualTypeOf<{ text: string }>()
  expectTypeOf(client.tools.far_add({ text: 'x' })).resolves.toEqualTypeOf<{ id: number }>()
  expect(await client.tools.notes_add({ text: 'x' })).toEqual({ id: 7 })
  expect(await client.tools.far_add({ text: 'x' })).toEqual({ id: 7 })
  expect(await client.tools.own()).toBe('own')
  expect((await client.getPrompt('notes_greet', { who: 'Ada' })).messages).toHaveLength(1)
})
