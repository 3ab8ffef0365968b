import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'

const ENTRY = fileURLToPath(new URL('index.ts', import.meta.url))

/** A program that validates plain JSON Schema, as bundlers make it for a platform. */
async function bundle(platform: 'node' | 'browser'): Promise<{ metafile: Metafile; text: string }> {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `import { compileSchema, describeIssues } from ${JSON.stringify(ENTRY)}
        const compiled = compileSchema({ properties: { n: { type: 'integer', pattern: '^(a+)+$' } } }, { io: 'input' })
        const result = await compiled.validate({ n: 'x' })
        console.log(result.ok ? 'accepted' : describeIssues(result.issues))
        if (globalThis.process?.argv[2] === 'valibot') {
          const standard = { vendor: 'valibot', version: 1, validate: (value) => ({ value }) }
          compileSchema({ '~standard': standard }, { io: 'input' })
        }`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform,
    conditions: ['@gantry/source'],
    // Ajv is CommonJS, for which a bundle in ESM has to bring its own require.
    banner: {
      js:
        platform === 'node'
          ? "import { createRequire as r } from 'node:module'; const require = r(import.meta.url)"
          : '',
    },
    logLevel: 'silent',
  })
  return { metafile, text: outputFiles[0]!.text }
}

async function run(text: string, flags: string[] = [], args: string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'schema-bundle-'))
  try {
    await writeFile(join(folder, 'program.mjs'), text)
    // From a folder of its own, where nothing is installed.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...flags, join(folder, 'program.mjs'), ...args],
      { cwd: folder },
    )
    return stdout.trim()
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('the schema layer in bundles', () => {
  it('uses Ajv on Node', async () => {
    const { metafile, text } = await bundle('node')
    expect(Object.keys(metafile.inputs).some((path) => path.includes('node_modules/ajv/'))).toBe(true)
    expect(await run(text)).toBe('Invalid arguments: "n" must be integer')
  })

  it('uses no eval, no Ajv and no node:* elsewhere', async () => {
    const { metafile, text } = await bundle('browser')
    expect(
      Object.keys(metafile.inputs).filter((path) => /node_modules\/(?!@cfworker)|\.node\.ts$/.test(path)),
    ).toEqual([])
    expect(text).not.toMatch(/node:/)
    expect(await run(text, ['--disallow-code-generation-from-strings'])).toBe(
      'Invalid arguments: "n" must be integer',
    )
  })

  it('says what Valibot needs where it is not installed', async () => {
    const { text } = await bundle('browser')
    await expect(run(text, [], ['valibot'])).rejects.toThrow(/pass toStandardJsonSchema\(schema\)/)
  })

  it('loads no schema library until something is validated', async () => {
    const { metafile } = await bundle('node')
    const reached = new Set<string>()
    const queue = Object.keys(metafile.inputs).filter((path) => path.endsWith('schema/index.ts'))
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      if (reached.has(path)) continue
      reached.add(path)
      for (const { path: next, kind } of metafile.inputs[path]?.imports ?? [])
        if (kind === 'import-statement') queue.push(next)
    }
    expect(reached.size).toBeGreaterThan(10)
    expect([...reached].filter((path) => path.includes('node_modules'))).toEqual([])
  })
})
