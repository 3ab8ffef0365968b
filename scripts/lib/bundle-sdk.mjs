import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Bundles the public entries of the SDK into its dist/, beside the declarations of the compiler. What entries
 * share lies in chunks that each of them imports, so a class is the same class whichever entry it came from.
 * docs/adr/0040 says why: importing a hundred small files costs Node four times what these cost.
 */
export async function bundleSdk(folder) {
  // Loaded here: the scripts of this project start before anything is installed.
  const { build } = await import('esbuild')
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: entriesOf(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))),
    outdir: 'dist',
    outbase: 'src',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    // Dependencies stay dependencies, and `#name` is chosen by the runtime that loads it.
    packages: 'external',
    external: ['#*', 'node:*'],
    metafile: true,
    logLevel: 'warning',
  })
  removeOthers(folder, new Set(Object.keys(metafile.outputs).map((file) => resolve(folder, file))))
}

/** The sources behind `exports`, and behind `imports`: what is chosen by platform is loaded by name as well. */
function entriesOf({ exports, imports }) {
  const files = [...Object.values(exports), ...Object.values(imports)]
    .flatMap((target) => [target.node, target.default])
    .filter((file) => file?.endsWith('.js'))
  return [...new Set(files)].map((file) => file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))
}

/** Removes scripts of earlier builds: they would be packed. */
function removeOthers(folder, made) {
  const dist = join(folder, 'dist')
  for (const entry of readdirSync(dist, { recursive: true })) {
    const file = join(dist, entry)
    if (file.endsWith('.js') && !made.has(file)) rmSync(file)
  }
}
