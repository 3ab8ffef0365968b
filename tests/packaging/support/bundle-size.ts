import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** What an application has for a schema library is its own, and counts there. */
const OF_THE_APPLICATION = ['node:*', 'zod', 'valibot', '@valibot/*', 'arktype', 'ajv', 'ajv-formats']

/** Bytes that a page or a worker loads first for an entry, minified and gzipped; what is loaded later does not count. */
export async function bundleSize(entry: string): Promise<number> {
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    splitting: true,
    write: false,
    metafile: true,
    outdir: 'out',
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    external: OF_THE_APPLICATION,
    logLevel: 'error',
  })
  const { outputs } = metafile
  const first = new Set<string>()
  const load = (path: string | undefined): void => {
    if (path === undefined || first.has(path) || !outputs[path]) return
    first.add(path)
    for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') load(next)
  }
  // What is loaded later has entry points of its own.
  load(Object.keys(outputs).find((path) => outputs[path]!.entryPoint?.endsWith(basename(entry))))
  const names = new Set([...first].map((path) => basename(path)))
  const loaded = outputFiles.filter(({ path }) => names.has(basename(path)))
  return loaded.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)
}
