import { describe, expect, it } from 'vitest'
import { Client, type RequestOptions } from '../../client/index.ts'
import { McpError, type JsonObject } from '../../jsonrpc/index.ts'
import { Server } from '../../server/index.ts'
import { expectObjections } from '../../testing/fixtures/objections.test.support.ts'
import { memory } from '../../transport/memory.ts'
import { createSkillClient, skills, type Skill, type SkillClientOptions } from './index.ts'

const MAIN =
  '---\nname: pdf\ndescription: What it does\nmetadata: { b: 1, a: [x] }\n---\nRead `references/FORMS.md`.\n'
const FILES = {
  'SKILL.md': MAIN,
  'references/FORMS.md': 'Forms.\n',
  'notes/a #1.md': 'odd name',
  'logo.png': new Uint8Array([0x89, 0xff, 0x00]),
}
const URI = 'skill://pdf/SKILL.md'

/** A server with one skill; `tamper` changes its answers. */
function open(
  tamper?: (result: JsonObject, method: string, uri: unknown) => JsonObject,
  options?: SkillClientOptions,
) {
  const app = new Server({ name: 'docs' })
  skills(app, [{ files: FILES }])
  const read: unknown[] = []
  app.use(async (exchange, next) => {
    const { method, params } = exchange
    if (method === 'resources/read') read.push(params.uri)
    const outcome = await next()
    if (!tamper || outcome.type !== 'complete') return outcome
    return { type: 'complete', result: tamper(structuredClone(outcome.result), method, params.uri) }
  })
  const client = new Client({ connector: memory(app) })
  return { app, read, client, skills: createSkillClient(client, options) }
}

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Changes the text of one file as it is read. */
const serve = (changed: string, text: string) => (result: JsonObject, method: string, uri: unknown) =>
  method === 'resources/read' && uri === changed ? { contents: [{ uri, text }] } : result

/** Changes the entry of the skill, wherever it is told. */
const tell = (change: (entry: Skill) => unknown) => (result: JsonObject, method: string) => {
  if (method === 'skills/list') return { ...result, skills: (result.skills as Skill[]).map(change) }
  if (method === 'skills/get') return { ...result, skill: change(result.skill as Skill) }
  return result
}

describe.each(['2026-07-28', '2025-11-25'] as const)('a skill, at %s', (protocolVersion) => {
  it('is listed without reading, loaded when wanted, and read file by file', async () => {
    const { app, read } = open()
    const client = new Client({ connector: memory(app), protocolVersion })
    const own = createSkillClient(client)
    const [entry] = await collect(own.list())
    expect(entry?.frontmatter).toEqual({
      name: 'pdf',
      description: 'What it does',
      metadata: { a: ['x'], b: 1 },
    })
    expect(read).toEqual([])
    const skill = await own.load(entry as Skill)
    expect(read).toEqual([URI])
    expect(skill.name).toBe('pdf')
    expect(skill.instructions).toBe('Read `references/FORMS.md`.\n')
    expect(skill.files).toEqual(Object.keys(FILES))
    expect((await skill.read('references/FORMS.md')).text()).toBe('Forms.\n')
    expect((await skill.read('./notes/a #1.md')).text()).toBe('odd name')
    const logo = await skill.read('logo.png')
    expect([...logo.bytes]).toEqual([0x89, 0xff, 0x00])
    expect(() => logo.text()).toThrow('is not text')
    const before = read.length
    await skill.read('references/FORMS.md')
    expect((await skill.read('SKILL.md')).text()).toBe(MAIN)
    expect(read).toHaveLength(before)
    await client.close()
  })
})

describe('what is verified', () => {
  it('by URI alone, with an entry that is got first', async () => {
    const { skills: own, client } = open()
    expect((await own.load(URI)).entry).toEqual(await own.get(URI))
    await expect(own.load('skill://other/SKILL.md')).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })

  it.each([
    ['digest', serve(URI, MAIN.replace('Read', 'Burn'))],
    ['size', serve(URI, `${MAIN} `)],
    ['frontmatter', tell((entry) => ({ ...entry, frontmatter: { ...entry.frontmatter, metadata: {} } }))],
    ['frontmatter', tell((entry) => ({ ...entry, frontmatter: { ...entry.frontmatter, license: 'MIT' } }))],
  ] as const)('SKILL.md: another %s', async (check, tamper) => {
    const { skills: own, client, read } = open(tamper)
    const [entry] = await collect(own.list())
    const loading = own.load(entry as Skill)
    await expect(loading).rejects.toBeInstanceOf(McpError)
    await expect(loading).rejects.toMatchObject({ code: 'bad_response', details: { uri: URI, check } })
    expect(read).toEqual([URI])
    await client.close()
  })

  it('other files: a forged one ends the skill', async () => {
    const forged = 'skill://pdf/references/FORMS.md'
    const { skills: own, client, read } = open(serve(forged, 'Norms.\n'))
    const skill = await own.load(URI)
    await expect(skill.read('references/FORMS.md')).rejects.toMatchObject({ details: { check: 'digest' } })
    const before = read.length
    await expect(skill.read('logo.png')).rejects.toMatchObject({ details: { check: 'digest' } })
    expect(read).toHaveLength(before)
    await client.close()
  })

  it('what is not listed is not read', async () => {
    const { app, skills: own, client, read } = open()
    app.resource({ uri: 'skill://pdf/new.md', text: 'added later' })
    app.resource({ uri: 'skill://secret', text: 'not a file of the skill' })
    const skill = await own.load(URI)
    await expect(skill.read('new.md')).rejects.toMatchObject({ details: { check: 'listing' } })
    for (const path of ['../secret', 'references/../../secret', '%2e%2e/secret', '', '/', 'a//b']) {
      await expect(skill.read(path)).rejects.toBeInstanceOf(McpError)
    }
    expect(read).toEqual([URI])
    await client.close()
  })

  it.each<[string, (entry: Skill) => unknown]>([
    ['no resources', ({ resources: _, ...entry }) => entry],
    ['resources of another kind', (entry) => ({ ...entry, resources: 'all' })],
    ['no SKILL.md among them', (entry) => ({ ...entry, resources: entry.resources.slice(1) })],
    ['a file twice', (entry) => ({ ...entry, resources: [...entry.resources, entry.resources[0]] })],
    ['a file elsewhere', (entry) => withFile(entry, { uri: 'skill://other/x.md' })],
    ['a way out', (entry) => withFile(entry, { uri: 'skill://pdf/%2e%2e/x.md' })],
    ['a malformed digest', (entry) => withFile(entry, { digest: 'sha256:ABC' })],
    ['a negative size', (entry) => withFile(entry, { size: -1 })],
    ['another name', (entry) => ({ ...entry, frontmatter: { ...entry.frontmatter, name: 'other' } })],
    ['no frontmatter', (entry) => ({ ...entry, frontmatter: null })],
    ['no uri', (entry) => ({ ...entry, uri: 7 })],
    ['another uri', (entry) => ({ ...entry, uri: 'skill://pdf' })],
    ['nothing', () => null],
  ])('entries: %s', async (_, change) => {
    expectObjections(/skill/, 'has a server describe its skill wrongly')
    const invalid: McpError[] = []
    const { skills: own, client, read } = open(tell(change), { onInvalid: (error) => invalid.push(error) })
    expect(await collect(own.list())).toEqual([])
    expect(invalid).toMatchObject([{ code: 'bad_response' }])
    await expect(own.load(URI)).rejects.toMatchObject({ code: 'bad_response' })
    expect(read).toEqual([])
    await client.close()
  })
})

function withFile(entry: Skill, change: object): object {
  const [main, ...rest] = entry.resources as object[]
  return { ...entry, resources: [main, { ...rest[0], ...change }] }
}

describe('what is declined', () => {
  it('servers without the extension, and directories of those that cannot read them', async () => {
    const plain = new Client({ connector: memory(new Server({ name: 'plain' })) })
    await expect(createSkillClient(plain).get(URI)).rejects.toMatchObject({ code: 'unsupported' })
    await expect(collect(createSkillClient(plain).list())).rejects.toMatchObject({ code: 'unsupported' })
    await plain.close()
    const { app, skills: own, client } = open()
    expect((await own.readDirectory('skill://pdf/references')).map(({ name }) => name)).toEqual(['FORMS.md'])
    await client.close()
    app.extension('io.modelcontextprotocol/skills', {})
    await client.connect()
    await expect(own.readDirectory('skill://pdf')).rejects.toMatchObject({ code: 'unsupported' })
    await client.close()
  })

  it('skills that are too large, before anything is read', async () => {
    for (const limit of [{ maxFiles: 3 }, { maxBytes: 20 }]) {
      const { skills: own, client, read } = open(undefined, limit)
      await expect(own.load(URI)).rejects.toMatchObject({ code: 'too_large' })
      expect(read).toEqual([])
      await client.close()
    }
  })

  it('dynamic skills, unless they are allowed; their frontmatter is compared all the same', async () => {
    const dynamic = tell((entry) => ({ ...entry, resources: 'dynamic' }))
    const strict = open(dynamic)
    await expect(strict.skills.load(URI)).rejects.toMatchObject({ code: 'unsupported' })
    await strict.client.close()
    const lenient = open(dynamic, { allowDynamic: true })
    const skill = await lenient.skills.load(URI)
    expect(skill.files).toEqual([])
    expect((await skill.read('references/FORMS.md')).text()).toBe('Forms.\n')
    await expect(skill.read('../x')).rejects.toBeInstanceOf(McpError)
    await lenient.client.close()
    const forged = open(
      (result, method, uri) =>
        serve(URI, MAIN.replace('What it does', 'Something else'))(dynamic(result, method), method, uri),
      { allowDynamic: true },
    )
    await expect(forged.skills.load(URI)).rejects.toMatchObject({ details: { check: 'frontmatter' } })
    await forged.client.close()
  })

  it('lists that do not end, answers without content, and calls that are aborted', async () => {
    const endless = open((result, method) =>
      method === 'skills/list' ? { ...result, nextCursor: 'x' } : result,
    )
    await expect(collect(endless.skills.list())).rejects.toMatchObject({ code: -32602 })
    await endless.client.close()
    const looping = open()
    looping.app.method('skills/list', () => ({ type: 'complete', result: { skills: [], nextCursor: 'x' } }))
    await expect(collect(looping.skills.list())).rejects.toMatchObject({ code: 'cursor_loop' })
    await looping.client.close()
    const empty = open((result, method) => (method === 'resources/read' ? { contents: [] } : result))
    await expect(empty.skills.load(URI)).rejects.toMatchObject({ code: 'bad_response' })
    const options: RequestOptions = { signal: AbortSignal.abort() }
    await expect(empty.skills.load(URI, options)).rejects.toMatchObject({ code: 'cancelled' })
    await empty.client.close()
  })
})
