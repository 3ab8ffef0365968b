import { describe, expect, it } from 'vitest'
import { Client } from '../../client/index.ts'
import { McpError } from '../../jsonrpc/index.ts'
import { Server } from '../../server/index.ts'
import { expectObjections } from '../../testing/fixtures/objections.test.support.ts'
import { memory } from '../../transport/memory.ts'
import { skills, SKILLS_EXTENSION, type SkillDefinition, type SkillsOptions } from './index.ts'

const md = (name: string, description = `What ${name} does`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`
const PDF: SkillDefinition = {
  files: {
    'SKILL.md': md('pdf'),
    'references/FORMS.md': 'Forms.\n',
    'references/deep/er.txt': 'deeper',
    'scripts/run me.sh': '#!/bin/sh\n',
    'logo.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff]),
  },
}
const REFUNDS: SkillDefinition = { path: 'acme/billing/refunds', files: { 'SKILL.md': md('refunds') } }
const sha256 = async (text: string) => {
  const { createHash } = await import('node:crypto')
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function open(definitions: SkillDefinition[], options?: SkillsOptions, protocolVersion?: '2025-11-25') {
  const app = new Server({ name: 'docs' })
  skills(app, definitions, options)
  return { app, client: new Client({ connector: memory(app), protocolVersion }) }
}

describe.each([undefined, '2025-11-25'] as const)('skills, %s', (version) => {
  it('are declared, listed and found with digests and sizes', async () => {
    const { client } = open([PDF, REFUNDS], {}, version)
    await client.connect()
    expect(client.serverCapabilities).toMatchObject({
      resources: {},
      extensions: { [SKILLS_EXTENSION]: { directoryRead: true } },
    })
    const { skills: listed } = (await client.request('skills/list')) as { skills: { uri: string }[] }
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://pdf/SKILL.md',
      'skill://acme/billing/refunds/SKILL.md',
    ])
    const { skill } = await client.request('skills/get', { uri: 'skill://pdf/SKILL.md' })
    expect(skill).toEqual(listed[0])
    expect(skill).toMatchObject({ frontmatter: { name: 'pdf', description: 'What pdf does' } })
    const { resources } = skill as { resources: { uri: string; digest: string; size: number }[] }
    expect(resources).toHaveLength(5)
    expect(resources[0]).toEqual({
      uri: 'skill://pdf/SKILL.md',
      digest: await sha256(md('pdf')),
      size: md('pdf').length,
    })
    await client.close()
  })

  it('are read as resources, text as text and bytes as bytes', async () => {
    const { client } = open([PDF], {}, version)
    const listed = await client.listResources().all()
    expect(listed[0]).toMatchObject({
      uri: 'skill://pdf/SKILL.md',
      name: 'pdf',
      description: 'What pdf does',
      mimeType: 'text/markdown',
    })
    const { contents } = await client.readResource('skill://pdf/SKILL.md')
    expect(contents).toEqual([{ uri: 'skill://pdf/SKILL.md', mimeType: 'text/markdown', text: md('pdf') }])
    const spaced = await client.readResource('skill://pdf/scripts/run%20me.sh')
    expect(spaced.contents[0]?.text).toBe('#!/bin/sh\n')
    const image = await client.readResource('skill://pdf/logo.png')
    expect(image.contents[0]).toMatchObject({ mimeType: 'image/png', blob: 'iVBOR/8=' })
    await client.close()
  })

  it('have directories that can be read', async () => {
    expectObjections(/directory\/read: uri is no string/, 'asks for a number')
    const { client } = open([PDF, REFUNDS], {}, version)
    const read = async (uri: string) => {
      const { resources } = await client.request('resources/directory/read', { uri })
      return (resources as { uri: string; mimeType: string }[]).map(({ uri: child, mimeType }) => [
        child.slice(uri.length + 1),
        mimeType,
      ])
    }
    expect(await read('skill://pdf')).toEqual([
      ['SKILL.md', 'text/markdown'],
      ['references', 'inode/directory'],
      ['scripts', 'inode/directory'],
      ['logo.png', 'image/png'],
    ])
    expect(await read('skill://pdf/references')).toEqual([
      ['FORMS.md', 'text/markdown'],
      ['deep', 'inode/directory'],
    ])
    expect(await read('skill://acme')).toEqual([['billing', 'inode/directory']])
    for (const uri of ['skill://pdf/SKILL.md', 'skill://pdf/', 'skill://nowhere', 'skill:', '', 7]) {
      await expect(client.request('resources/directory/read', { uri })).rejects.toMatchObject({
        code: -32602,
      })
    }
    await client.close()
  })

  it('come in pages, and unknown ones are refused', async () => {
    expectObjections(/(cursor|uri) is no string/, 'asks with cursors and addresses that are none')
    const { client } = open([PDF, REFUNDS], { pageSize: 1 }, version)
    const first = await client.request('skills/list')
    expect(first.skills).toHaveLength(1)
    const second = await client.request('skills/list', { cursor: first.nextCursor })
    expect(second.skills).toMatchObject([{ uri: 'skill://acme/billing/refunds/SKILL.md' }])
    expect(second).not.toHaveProperty('nextCursor')
    for (const cursor of ['nonsense', '', 5, null]) {
      await expect(client.request('skills/list', { cursor })).rejects.toMatchObject({ code: -32602 })
    }
    for (const uri of ['skill://pdf', 'skill://other/SKILL.md', undefined, {}]) {
      await expect(client.request('skills/get', { uri })).rejects.toMatchObject({ code: -32602 })
    }
    await client.close()
  })
})

describe('skills', () => {
  it('carry cache hints', async () => {
    const { client } = open([PDF], { cache: { ttl: '5s' } })
    for (const [method, params] of [
      ['skills/list', {}],
      ['skills/get', { uri: 'skill://pdf/SKILL.md' }],
      ['resources/read', { uri: 'skill://pdf/SKILL.md' }],
    ] as const) {
      expect(await client.request(method, params)).toMatchObject({ ttlMs: 5_000, cacheScope: 'public' })
    }
    await client.close()
  })

  it('nest: the inner files belong to both, and each is described once', async () => {
    const inner = { 'SKILL.md': md('inner'), 'logo.png': new Uint8Array([255]) }
    const outer = {
      'SKILL.md': md('outer'),
      'inner/SKILL.md': md('inner'),
      'inner/logo.png': new Uint8Array([255]),
    }
    const { client } = open([{ files: outer }, { path: 'outer/inner', files: inner }])
    const { skills: listed } = await client.request('skills/list')
    expect(listed).toMatchObject([{ resources: { length: 3 } }, { resources: { length: 2 } }])
    const resources = await client.listResources().all()
    expect(resources.map(({ name }) => name)).toEqual(['outer', 'inner', 'logo.png'])
    await client.close()
    const other = { ...inner, 'SKILL.md': md('inner', 'something else') }
    expect(() => open([{ files: outer }, { path: 'outer/inner', files: other }])).toThrow('different files')
  })

  it('that are produced on demand are dynamic', async () => {
    let day = 1
    const files = { 'SKILL.md': md('daily'), 'today.md': () => `day ${day++}` }
    const { client } = open([{ files }])
    const { skill } = await client.request('skills/get', { uri: 'skill://daily/SKILL.md' })
    expect(skill).toMatchObject({ resources: 'dynamic' })
    expect((await client.readResource('skill://daily/today.md')).contents[0]?.text).toBe('day 1')
    expect((await client.readResource('skill://daily/today.md')).contents[0]?.text).toBe('day 2')
    await client.close()
  })

  it('are hidden from those who may not see them, files and directories too', async () => {
    const app = new Server({ name: 'docs' })
    skills(app, [PDF, { ...REFUNDS, scopes: ['billing'] }])
    const auth = (scopes: string[]) => ({
      auth: { principal: { kind: 'person' as const, subject: 'ann' }, scopes, claims: {} },
    })
    for (const [scopes, sees] of [
      [[], false],
      [['billing'], true],
    ] as const) {
      const client = new Client({ connector: memory(app, { context: auth([...scopes]) }) })
      const { skills: listed, cacheScope } = await client.request('skills/list')
      expect(listed).toHaveLength(sees ? 2 : 1)
      expect(cacheScope).toBe('private')
      const uri = 'skill://acme/billing/refunds/SKILL.md'
      const attempts = [
        client.request('skills/get', { uri }),
        client.readResource(uri),
        client.request('resources/directory/read', { uri: 'skill://acme' }),
      ]
      for (const attempt of attempts) {
        if (sees) await attempt
        else await expect(attempt).rejects.toMatchObject({ code: -32602 })
      }
      await client.close()
    }
  })

  it.each<[string, SkillDefinition]>([
    ['no SKILL.md', { files: { 'README.md': 'x' } }],
    ['a malformed SKILL.md', { files: { 'SKILL.md': 'no frontmatter' } }],
    ['a SKILL.md on demand', { files: { 'SKILL.md': () => md('a') } }],
    ['a path with another name', { path: 'b', files: { 'SKILL.md': md('a') } }],
    ['a way out', { files: { 'SKILL.md': md('a'), '../evil.md': 'x' } }],
    ['an absolute path', { files: { 'SKILL.md': md('a'), '/etc/passwd': 'x' } }],
    ['too many files', { files: { 'SKILL.md': md('a'), ...many(512) } }],
    ['too many bytes', { files: { 'SKILL.md': md('a'), big: new Uint8Array(16 * 1024 * 1024) } }],
  ])('are refused with %s', (_, definition) => {
    const app = new Server({ name: 'docs' })
    expect(() => skills(app, [definition])).toThrow(McpError)
    expect(app.capabilities).not.toHaveProperty('extensions')
  })

  it('are refused twice at one path', () => {
    expect(() => open([PDF, PDF])).toThrow('one path')
  })
})

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 'x']))
}
