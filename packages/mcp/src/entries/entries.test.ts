import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** Every module that an entry loads, seen by a bundler. */
async function modulesOf(entry: string): Promise<string[]> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(`../${entry}`, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    packages: 'external',
    external: ['node:*'],
    conditions: ['@gantry/source', 'browser'],
    logLevel: 'silent',
  })
  const own = Object.keys(result.metafile.inputs)
  const foreign = Object.values(result.metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  )
  return [...own, ...foreign]
}

describe('the entries', () => {
  it('the server loads no client, no HTTP client and no node: modules', async () => {
    const modules = await modulesOf('entries/server.ts')
    expect(modules.some((path) => path.includes('src/server/server.ts'))).toBe(true)
    expect(modules.filter((path) => path.includes('src/client/'))).toEqual([])
    expect(
      modules.filter((path) => /transport\/http\/client|stdio\/client|transport\/process/.test(path)),
    ).toEqual([])
    expect(modules.filter((path) => path.startsWith('node:'))).toEqual([])
    // Schema libraries belong to users; none is loaded before they are.
    expect(modules.filter((path) => /^(zod|valibot|arktype|typebox|ajv)/.test(path))).toEqual([])
  })

  it('the client loads no server and no node: modules', async () => {
    const modules = await modulesOf('entries/client.ts')
    expect(modules.some((path) => path.includes('src/client/client.ts'))).toBe(true)
    expect(modules.filter((path) => path.includes('src/server/'))).toEqual([])
    expect(modules.filter((path) => path.startsWith('node:'))).toEqual([])
  })

  it('the testing kit has no node: modules either', async () => {
    const modules = await modulesOf('testing/index.ts')
    expect(modules.filter((path) => path.startsWith('node:'))).toEqual([])
  })

  it('one install exports both sides', async () => {
    const server = await import('./server.ts')
    const client = await import('./client.ts')
    expect(server).toMatchObject({ Server: expect.any(Function), toFetchHandler: expect.any(Function) })
    expect(client).toMatchObject({ Client: expect.any(Function), connect: expect.any(Function) })
  })
})
