import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { Server, text, tool } from '../server/index.ts'
import type * as entry from '../entries/client.ts'
import { toNodeHandler } from '../entries/server.node.ts'

const source = fileURLToPath(new URL('../entries/client.ts', import.meta.url))

/** The public entry as browsers and Workers get it: no Node modules, nothing left to resolve. */
function bundle(conditions: string[]) {
  return build({
    entryPoints: [source],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    conditions,
    outdir: 'out',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
}

describe.each(['browser', 'workerd'])('the client bundled for %s', (runtime) => {
  const conditions = ['@gantry/source', runtime]

  it('loads no schema library until something is validated', async () => {
    const { metafile } = await bundle(conditions)
    const [main] = Object.entries(metafile.outputs).filter(([, output]) => output.entryPoint !== undefined)
    const loaded = reachable(metafile.outputs, main?.[0] ?? '')
    const libraries = [...loaded].filter((path) => /node_modules\/(ajv|@cfworker|zod|valibot)/.test(path))
    expect(libraries).toEqual([])
    expect([...loaded].filter((path) => /\.node\.ts$/.test(path))).toEqual([])
  })

  it('runs a call', async () => {
    const hello = tool({ run: () => text('hello') })
    const app = new Server({ name: 'app', version: '1', tools: { hello } })
    const server = createServer(toNodeHandler(app))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { outputFiles } = await build({
        entryPoints: [source],
        bundle: true,
        format: 'esm',
        platform: 'browser',
        conditions,
        write: false,
        logLevel: 'silent',
      })
      const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
      const { connect } = (await import(`data:text/javascript;base64,${code}`)) as typeof entry
      await using client = await connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
      expect(client.era).toBe('modern')
      expect((await client.call('hello')).text()).toBe('hello')
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

type Outputs = Awaited<ReturnType<typeof bundle>>['metafile']['outputs']

/** The source files of an output and of all that it imports at once; `import()` does not count. */
function reachable(outputs: Outputs, start: string, found: Set<string> = new Set()): Set<string> {
  const output = outputs[start]
  if (!output) return found
  for (const input of Object.keys(output.inputs)) found.add(input)
  for (const { path, kind } of output.imports)
    if (kind === 'import-statement') reachable(outputs, path, found)
  return found
}
