// node --import ./scripts/lib/typescript-loader.mjs …: threads and processes that tests start can load files of src/.
// Vitest translates only what it imports itself, and Node 20 does not read TypeScript.
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'

if (!import.meta.url.endsWith('?hooks')) register(`${import.meta.url}?hooks`)

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const { transform } = await import('esbuild')
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), {
    loader: 'ts',
    format: 'esm',
  })
  return { format: 'module', source: code, shortCircuit: true }
}
