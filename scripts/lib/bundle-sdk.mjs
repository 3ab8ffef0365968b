import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Bundles the public entries of the SDK into its dist/, beside the declarations of the compiler. What entries
 * share lies in chunks that each of them imports, so a class is the same class whichever entry it came from.
 * docs/adr/0006 says why: importing a hundred small files costs Node four times what these cost.
 */
export async function bundleSdk(folder) {
  // Loaded here: the scripts of this project start before anything is installed.
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    cwd: folder,
    input: entriesOf(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))),
    platform: 'neutral',
    // Dependencies stay dependencies, and `#name` is chosen by the runtime that loads it. What the bundler itself
    // puts in the place of newer syntax comes along.
    external: /^(?![./\0]|\w:|@oxc-project\/runtime\/)/,
    transform: { target: 'es2023' },
  })
  const { output } = await bundle.write({
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // The declarations have them.
    comments: { jsdoc: false },
    plugins: [{ name: 'ascii', generateBundle: toAscii }],
    codeSplitting: { groups: groupsOf(join(folder, 'src')) },
  })
  await bundle.close()
  removeOthers(folder, new Set(output.map(({ fileName }) => resolve(folder, 'dist', fileName))))
}

/** The sources behind `exports`, and behind `imports`: what is chosen by platform is loaded by name as well. */
function entriesOf({ exports, imports }) {
  const files = [...Object.values(exports), ...Object.values(imports)]
    .flatMap((target) => [target.node, target.default])
    .filter((file) => file?.endsWith('.js'))
  const names = files.map((file) => file.slice('./dist/'.length, -'.js'.length))
  return Object.fromEntries(names.map((name) => [name, `./src/${name}.ts`]))
}

/**
 * Three chunks hold most of the code: what servers and clients share, and what only one of them loads. Left to
 * itself, a bundler makes one for each set of entries that share something, and each file costs a start over a
 * millisecond, whatever its size. Files for Node alone stay out: these chunks run everywhere.
 */
function groupsOf(src) {
  const sides = new Map([
    [join(src, 'entries', 'server.ts'), 'server'],
    [join(src, 'entries', 'server.node.ts'), 'server'],
    [join(src, 'entries', 'client.ts'), 'client'],
    [join(src, 'entries', 'client.node.ts'), 'client'],
  ])
  const moved = [...sides.keys()].filter((file) => !existsSync(file))
  if (moved.length > 0) throw new Error(`The chunks of the SDK are grouped by files that are gone: ${moved}`)
  const sidesOf = (id, bundle) => {
    const found = new Set()
    if (id.endsWith('.node.ts') || sides.has(id)) return found
    const reaching = new Set([id])
    for (const file of reaching) {
      if (sides.has(file)) found.add(sides.get(file))
      for (const importer of bundle.getModuleInfo(file).importers) reaching.add(importer)
    }
    return found
  }
  const both = (id, bundle) => (sidesOf(id, bundle).size === 2 ? 'core' : null)
  const one = (id, bundle) => [...sidesOf(id, bundle)][0] ?? null
  // A chunk takes along what its files import, unless an earlier one has it.
  return [
    { name: both, debugName: 'both sides', priority: 2 },
    { name: one, debugName: 'one side', priority: 1 },
  ]
}

/**
 * Writes what is not ASCII as escapes. One dash in a message, and Node decodes the whole file the slow way and keeps
 * it with two bytes for each character.
 */
function toAscii(_options, files) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  for (const file of Object.values(files)) file.code = file.code.replace(/[^\0-\x7f]/g, escaped)
}

/** Removes scripts of earlier builds: they would be packed. */
function removeOthers(folder, made) {
  const dist = join(folder, 'dist')
  for (const entry of readdirSync(dist, { recursive: true })) {
    const file = join(dist, entry)
    if (file.endsWith('.js') && !made.has(file)) rmSync(file)
  }
}
