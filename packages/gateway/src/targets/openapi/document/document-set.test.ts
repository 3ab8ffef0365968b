import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOpenApiTarget } from '../open-api-target.ts'
import { Warnings } from '../warnings.ts'
import { DocumentSet } from './document-set.ts'
import { DocumentSource } from './document-source.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-openapi-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function write(path: string, content: unknown): Promise<string> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
async function load(file: string, options: { referenceRoot?: string } = {}) {
  const warnings = new Warnings()
  const documents = await DocumentSet.load(new DocumentSource(file, options), warnings)
  return { documents, warnings }
}

describe('files', () => {
  it('reads JSON and YAML, through several files and back', async () => {
    await write('a/parts/x.yaml', 'one: { $ref: "../main.json#/here" }\ntwo: { $ref: "#/one" }\n')
    const file = await write('a/main.json', { here: 'found', go: { $ref: 'parts/x.yaml#/two' } })
    const { documents } = await load(file)
    const { value, base } = documents.root
    expect(documents.follow({ value: (value as { go: unknown }).go, base })?.value).toBe('found')
  })

  it('does not leave the folder of the description, by path or by link', async () => {
    await write('secret.json', { password: 1 })
    await mkdir(join(folder, 'b'), { recursive: true })
    await symlink(join(folder, 'secret.json'), join(folder, 'b/link.json'))
    const file = await write('b/main.json', { x: { $ref: '../secret.json' }, y: { $ref: 'link.json' } })
    const { documents, warnings } = await load(file)
    expect(documents.resolve('../secret.json', documents.root.base)).toBeUndefined()
    expect(documents.resolve('link.json', documents.root.base)).toBeUndefined()
    expect(warnings.list().filter((warning) => warning.includes('outside'))).toHaveLength(1)
    const allowed = await load(file, { referenceRoot: folder })
    expect(allowed.documents.resolve('link.json', documents.root.base)?.value).toEqual({ password: 1 })
  })

  it('a file does not name URLs', async () => {
    const file = await write('c/main.json', { x: { $ref: 'http://127.0.0.1:1/x.json' } })
    const { warnings } = await load(file)
    expect(warnings.list().join()).toContain('refused to fetch')
  })

  it('missing files, bad files and circles are warnings', async () => {
    await write('d/bad.json', '{ "a": ')
    await write('d/note.md', '# A heading')
    const file = await write('d/main.json', {
      x: { $ref: 'bad.json' },
      y: { $ref: 'gone.json' },
      z: { $ref: '#/z' },
      description: { $ref: 'note.md' },
      example: { $ref: 'not-a-reference.json' },
    })
    const { documents, warnings } = await load(file)
    const { value, base } = documents.root
    expect(documents.follow({ value: (value as { z: unknown }).z, base })).toBeUndefined()
    const text = warnings.list().join('\n')
    expect(text).toContain('gone.json: ENOENT')
    expect(text).toContain('neither JSON nor YAML')
    expect(text).toContain('in a circle')
    expect(text).not.toContain('not-a-reference')
  })

  it('a description that is missing or no description is an error that says so', async () => {
    const create = (document: string) => createOpenApiTarget({ document })
    await expect(create(join(folder, 'nowhere.yaml'))).rejects.toThrow('ENOENT')
    await expect(create(await write('e.json', '{"openapi": '))).rejects.toThrow('neither JSON nor YAML')
    await expect(create(await write('f.json', '[]'))).rejects.toThrow('it is not an object')
    await expect(create(await write('g.json', '{"openapi":"4.0"}'))).rejects.toThrow(
      '3.0, 3.1 and Swagger 2.0',
    )
    await expect(create(folder)).rejects.toThrow('not a file')
  })

  it('YAML that repeats itself without end is refused', async () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (let n = 1; n < 10; n++)
      lines.push(`${'abcdefghij'[n]}: &${'abcdefghij'[n]} [${Array(9).fill(`*${'abcdefghij'[n - 1]}`)}]`)
    await expect(load(await write('bomb.yaml', lines.join('\n')))).rejects.toThrow('alias')
    await expect(load(await write('self.yaml', 'a: &a { b: *a }'))).rejects.toThrow('neither JSON nor YAML')
  })
})

describe('URLs', () => {
  it('reads the description and its parts, only from its own origin', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers['x-key'] ?? request.headers.authorization}`)
      if (request.url === '/api/main.json') {
        response.end(
          JSON.stringify({ x: { $ref: 'part.yaml' }, y: { $ref: 'http://localhost:1/other.json' } }),
        )
      } else if (request.url === '/api/part.yaml') response.end('z: 1')
      else response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const warnings = new Warnings()
      const source = new DocumentSource(`${origin}/api/main.json`, { headers: { 'x-key': 'k' } })
      const documents = await DocumentSet.load(source, warnings)
      expect(documents.resolve('part.yaml', documents.root.base)?.value).toEqual({ z: 1 })
      expect(asked).toEqual(['/api/main.json k', '/api/part.yaml k'])
      expect(warnings.list().join()).toContain('not on the origin')
      await expect(createOpenApiTarget({ document: `${origin}/gone?token=1` })).rejects.toThrow(
        /gone: HTTP 404/,
      )
      const withUser = `${origin.replace('//', '//me:hidden@')}/gone`
      await expect(createOpenApiTarget({ document: withUser })).rejects.not.toThrow('hidden')
      expect(asked.at(-1)).toBe(`/gone Basic ${btoa('me:hidden')}`)
      await expect(createOpenApiTarget({ document: 'http://127.0.0.1:1/x' })).rejects.toThrow('cannot fetch')
    } finally {
      server.close()
    }
  })
})
