import { isAscii } from 'node:buffer'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Analysis, checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ROOT, toolPath } from '../../scripts/lib/paths.mjs'
import { modernRequest } from '../support/raw-client.ts'
import { readGraph } from './support/built-graph.ts'
import { bundleSize } from './support/bundle-size.ts'
import { testCreated } from './support/created-project.ts'
import { cpuOfImports } from './support/import-cost.ts'
import {
  installPacked,
  packageFolder,
  readManifest,
  runNpm,
  type Installed,
  type PackageName,
} from './support/install-packed.ts'
import { modulesOfStart } from './support/modules-of-start.ts'
import { startCommand } from './support/start-command.ts'
import { installedSize } from './support/installed-size.ts'

const NAMES: PackageName[] = ['@gantry/mcp', 'gantry']
const SCHEMA_LIBRARIES = ['ajv', 'ajv-formats', '@cfworker/json-schema', 'zod', 'valibot']
const CLIENT_CODE =
  /^client\/|^exchange\/(legacy\/)?client\/|client-edge|^entries\/connect|^transport\/(http\/client\/|stdio\/(socket-)?client)/
const SERVER_CODE = /^server\/|^exchange\/(legacy\/)?server\/|server-edge|^transport\/http\/server\//

// Processes by the dozen take their time when other tests run.
vi.setConfig({ testTimeout: 120_000 })

let installed: Installed
const at = (name: PackageName, ...path: string[]) => join(packageFolder(installed.folder, name), ...path)

beforeAll(async () => {
  installed = await installPacked()
}, 300_000)
afterAll(() => installed && rmSync(installed.folder, { recursive: true, force: true }))

/** Every script that a user can import, by its specifier. */
function entries(name: PackageName): [specifier: string, file: string][] {
  return Object.entries(readManifest(at(name)).exports).flatMap(([subpath, target]) =>
    typeof target === 'string' ? [] : [[subpath.replace('.', name), at(name, target.default!)]],
  )
}

describe.each(NAMES)('the packed %s', (name) => {
  it('is in order for npm, TypeScript and bundlers', async () => {
    const { messages } = await publint({ pkgDir: at(name), pack: false, strict: true })
    expect(messages).toEqual([])
  })

  it('can be installed beside later versions of what it goes with', async () => {
    const { peerDependencies = {} } = JSON.parse(await readFile(at(name, 'package.json'), 'utf8'))
    // npm installs nothing where a project has a version that is not in the range.
    expect(Object.values<string>(peerDependencies).filter((range) => range.includes('<'))).toEqual([])
  })

  it('has types where every way of resolving modules looks for them', async () => {
    const tarball = new Uint8Array(await readFile(installed.tarballs[name]))
    const found = await checkPackage(createPackageFromTarballData(tarball))
    expect(found.types).toBeTruthy()
    const { problems } = found as Analysis
    // Both packages are modules only: Node 10 knows no `exports`, and CommonJS needs a Node that can require them.
    const unexpected = problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' &&
        !(problem.kind === 'NoResolution' && problem.resolutionKind === 'node10'),
    )
    expect(unexpected).toEqual([])
  })

  it('has what it needs and nothing of our tests', () => {
    const files = installed.files[name]
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
    expect(files.filter((file) => /\.test[.-]|fixtures?\/|tsbuildinfo|(?<!\.d)\.tsx?$/.test(file))).toEqual(
      [],
    )
  })

  it('can be imported in plain Node, entry by entry, with types', () => {
    const specifiers = entries(name).map(([specifier]) => specifier)
    const script = `for (const name of ${JSON.stringify(specifiers)})
      console.log(name, Object.keys(await import(name)).length)`
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: installed.folder,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    const counts = output
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
    expect(counts.map(([specifier]) => specifier)).toEqual(specifiers)
    expect(counts.filter(([, count]) => count === '0')).toEqual([])
    for (const [, file] of entries(name)) expect(existsSync(file.replace(/\.js$/, '.d.ts'))).toBe(true)
  })
})

describe('the packed types', () => {
  const onNode = ['--lib', 'es2023', '--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')]

  it('satisfy a strict compiler that checks every one of them', async () => {
    const specifiers = NAMES.flatMap(entries).map(([specifier]) => specifier)
    const lines = [
      ...specifiers.map((specifier, index) => `import * as entry${index} from '${specifier}'`),
      "import { connect, http } from '@gantry/mcp/client'",
      "import { Server, tool } from '@gantry/mcp/server'",
      "const app = new Server({ name: 'app', version: '1', tools: { add: tool({ run: () => 'three' }) } })",
      "const client = await connect<typeof app>(http('http://127.0.0.1/mcp'))",
      'export const typed = () => client.tools.add()',
      '// @ts-expect-error: there is no such tool',
      'export const wrong = () => client.tools.subtract()',
      `export default [${specifiers.map((_, index) => `entry${index}`)}]`,
    ]
    await writeFile(join(installed.folder, 'user.ts'), lines.join('\n'))
    expect(compiled('user.ts', ['--noEmit'])).toEqual({ status: 0, stdout: '' })
  })

  it('have names in the declaration files of users, and take the types of an application', async () => {
    const lines = [
      "import { Server, type Context } from '@gantry/mcp/server'",
      "import { toNodeHandler } from '@gantry/mcp/server/node'",
      "declare module '@gantry/mcp/server' {",
      '  interface AppTypes { serverContext: { tenant: string } | undefined }',
      '}',
      "export const chained = new Server({ name: 'a' }).tool('who', { run: (_args, ctx) => ctx.serverContext?.tenant ?? '' })",
      "export const placed = new Server({ name: 'b', tools: { who: { when: ({ serverContext }) => serverContext?.tenant === 'a', run: () => '' } } })",
      'export const tenantOf = (ctx: Context) => ctx.serverContext?.tenant',
      '// @ts-expect-error: nobody said so',
      'export const wrong = (ctx: Context) => ctx.serverContext?.other',
      'toNodeHandler(chained, { serverContext: (request) => ({ tenant: `${request.headers.host}` }) })',
      '// @ts-expect-error: it is another type',
      'toNodeHandler(chained, { serverContext: () => 7 })',
    ]
    await writeFile(join(installed.folder, 'declared.ts'), lines.join('\n'))
    const declared = compiled('declared.ts', [
      '--declaration',
      '--emitDeclarationOnly',
      '--outDir',
      'declared',
    ])
    expect(declared).toEqual({ status: 0, stdout: '' })
    const text = await readFile(join(installed.folder, 'declared', 'declared.d.ts'), 'utf8')
    expect(text).toMatch(/tenantOf: \(ctx: Context\) => string \| undefined/)
  })

  it('need nothing but an older library and the DOM, as in a page', async () => {
    const portable = entries('@gantry/mcp').filter(([specifier]) => !specifier.endsWith('/node'))
    const lines = portable.map(([specifier], index) => `export * as entry${index} from '${specifier}'`)
    await writeFile(join(installed.folder, 'page.ts'), lines.join('\n'))
    const page = ['--lib', 'es2022,dom,dom.iterable']
    expect(compiled('page.ts', ['--noEmit'], page)).toEqual({ status: 0, stdout: '' })
  })

  /** Every file of the packages is checked as well. The snippets of the pages are compiled with Node's types and the DOM. */
  function compiled(file: string, how: readonly string[], platform: readonly string[] = onNode) {
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', ...platform, ...how]
    const { status, stdout } = spawnSync(
      process.execPath,
      [toolPath('typescript', 'tsc'), ...options, file],
      { cwd: installed.folder, encoding: 'utf8' },
    )
    return { status, stdout }
  }
})

describe('the packed SDK', () => {
  it('keeps node:* out of all that the entries without "node" in their name can ever load', async () => {
    const portable = entries('@gantry/mcp').filter(([specifier]) => !specifier.endsWith('/node'))
    expect(portable.length).toBeGreaterThan(8)
    for (const [specifier, file] of portable) {
      const { builtins } = await readGraph(file, { runtime: 'other', withLater: true })
      expect({ specifier, builtins }).toEqual({ specifier, builtins: [] })
    }
  })

  it.each(['server', 'server/node', 'client'])('loads no schema library with %s', async (entry) => {
    const file = new Map(entries('@gantry/mcp')).get(`@gantry/mcp/${entry}`)!
    const { packages } = await readGraph(file, { runtime: 'node' })
    expect(packages).toEqual([])
    const later = await readGraph(file, { runtime: 'node', withLater: true })
    if (entry !== 'server/node') expect(later.packages.filter(isSchemaLibrary)).not.toEqual([])
  })

  it.each([
    ['server', CLIENT_CODE, SERVER_CODE],
    ['server/node', CLIENT_CODE, SERVER_CODE],
    ['client', SERVER_CODE, CLIENT_CODE],
    ['client/node', SERVER_CODE, CLIENT_CODE],
    ['extensions/tasks', CLIENT_CODE, /^extensions\/tasks\//],
  ])('loads one side only with %s', async (entry, foreign, own) => {
    const file = new Map(entries('@gantry/mcp')).get(`@gantry/mcp/${entry}`)!
    const { sources } = await readGraph(file, { runtime: 'node', withLater: true })
    expect(sources.filter((source) => own.test(source))).not.toEqual([])
    expect(sources.filter((source) => foreign.test(source))).toEqual([])
  })

  it('starts on stdio with nothing of Node that a bare program does without', () => {
    expect(modulesOfStart(installed.folder)).toEqual([])
  })

  it('is ASCII, which Node decodes at once', async () => {
    const scripts = installed.files['@gantry/mcp'].filter((file) => file.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(10)
    for (const script of scripts)
      expect(isAscii(await readFile(at('@gantry/mcp', script))), script).toBe(true)
  })

  it('costs little to import', () => {
    const cpu = cpuOfImports({
      bare: { specifier: undefined, cwd: installed.folder },
      ours: { specifier: '@gantry/mcp/server', cwd: installed.folder },
      official: { specifier: '@modelcontextprotocol/server', cwd: ROOT },
    })
    const ours = cpu.ours - cpu.bare
    const official = cpu.official - cpu.bare
    console.info(
      `importing the server: ${ours.toFixed(0)} ms of CPU beyond bare Node (${cpu.bare.toFixed(0)} ms); the official SDK's: ${official.toFixed(0)} ms`,
    )
    // The budget is 40 ms where Node itself starts in that time; a busy machine slows both alike.
    expect(ours).toBeLessThan(Math.max(40, cpu.bare))
    expect(ours).toBeLessThan(official / 2)
  })

  it.each([
    ['./server', 58],
    ['./client', 53],
    ['./auth', 38],
    ['./guard', 31],
    ['./exchange', 37],
    ['./extensions/tasks', 22],
    ['./extensions/apps', 9],
  ])('costs a page or a worker that bundles %s at most %d KB', async (subpath, budget) => {
    const target = readManifest(at('@gantry/mcp')).exports[subpath] as { default: string }
    const size = (await bundleSize(at('@gantry/mcp', target.default))) / 1024
    console.info(`${subpath}: ${size.toFixed(1)} KB, gzipped`)
    expect(size).toBeGreaterThan(1)
    expect(size).toBeLessThan(budget)
  })

  it('takes at most 6 MB with its dependencies', () => {
    const size = installedSize(installed.folder, '@gantry/mcp')
    console.info(`installed with its dependencies: ${(size / 1e6).toFixed(1)} MB`)
    expect(size).toBeGreaterThan(1e6)
    expect(size).toBeLessThan(6e6)
  })
})

describe('the README of the SDK', () => {
  it('has a server and a client that work with what is packed', async () => {
    const page = await readFile(at('@gantry/mcp', 'README.md'), 'utf8')
    for (const [, name, code] of page.matchAll(/^```ts[^\n]*\n\/\/ (\S+)\n([\s\S]*?)^```$/gm))
      await writeFile(join(installed.folder, name!), code!)
    symlinkSync(join(ROOT, 'node_modules', 'zod'), join(installed.folder, 'node_modules', 'zod'), 'junction')
    const output = execFileSync(process.execPath, ['client.mjs'], { cwd: installed.folder, encoding: 'utf8' })
    expect(output.trim().split('\n')).toEqual(['Delete "Buy milk"?', '{ left: 0 }'])
  })
})

// Next.js and Workers want packages from the network: npm run created.
describe.concurrent('a project of create-gantry', () => {
  it.each([
    ['--transport', 'stdio'],
    ['--transport', 'http'],
    ['--framework', 'express'],
    ['--framework', 'hono'],
  ])('with %s %s passes its tests with what is packed', async (...flags) => {
    const output = await testCreated(flags, join(installed.folder, `created-${flags[1]}`))
    expect(output).toMatch(/# pass 3\n# fail 0/)
  })

  it('is made by a package that has all templates', () => {
    const [packed] = JSON.parse(runNpm(['pack', '--dry-run', '--json', '-w', 'packages/create-gantry'], ROOT))
    const files = (packed as { files: { path: string }[] }).files.map(({ path }) => path)
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'bin/create-gantry.mjs']))
    expect(files.filter((file) => file.startsWith('templates/')).length).toBe(
      readdirSync(join(ROOT, 'packages/create-gantry/templates'), {
        recursive: true,
        withFileTypes: true,
      }).filter((entry) => entry.isFile()).length,
    )
    expect(files.filter((file) => /^src.*\.test\./.test(file))).toEqual([])
  })
})

describe('the packed gateway', () => {
  it('has its command, its schema and the console', () => {
    const files = installed.files.gantry
    expect(files).toEqual(
      expect.arrayContaining([
        'bin/gantry.mjs',
        'dist/cli/gantry.js',
        'schema/gantry.schema.json',
        'schema/admin.schema.json',
        'dist/console/index.html',
      ]),
    )
    expect(files.some((file) => /^dist\/console\/assets\/.*\.js$/.test(file))).toBe(true)
  })

  it.skipIf(process.platform === 'win32')('is started by npx', () => {
    expect(runNpm(['exec', '--offline', '--no', '--', 'gantry', '--help'], installed.folder)).toMatch(
      /^Usage: gantry/,
    )
  })

  it('serves its demo and the console', async () => {
    await using gateway = await startCommand(at('gantry', 'bin/gantry.mjs'), installed.folder)
    const { message } = await modernRequest(gateway.endpoint, 'tools/list')
    expect(message.result.tools.length).toBeGreaterThan(0)
    const page = await fetch(new URL('/console/', gateway.endpoint))
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<script type="module"')
  })
})

describe('the quick start', () => {
  it('runs from a folder that has only what the page installs', async () => {
    const page = await readFile(join(ROOT, 'docs/quick-start.md'), 'utf8')
    const packages = /^npm install (.+)$/m.exec(page)?.[1]?.split(' ') ?? []
    expect(packages.sort()).toEqual([...NAMES].sort())
    for (const name of ['notes.mjs', 'gantry.yaml']) {
      const text = new RegExp(`^\\$ cat ${name}\\n([\\s\\S]*?)^(?:\\$|\`\`\`)`, 'm').exec(page)![1]!
      await writeFile(join(installed.folder, name), text)
    }
    const script = at('gantry', 'dist/cli/gantry.js')
    await using gateway = await startCommand(script, installed.folder, ['--config', 'gantry.yaml'])
    const called = await modernRequest(gateway.endpoint, 'tools/call', { name: 'notes_list' })
    expect(called.message.result.content).toEqual([{ type: 'text', text: 'Buy milk' }])
  })
})

function isSchemaLibrary(name: string): boolean {
  return SCHEMA_LIBRARIES.includes(name)
}
