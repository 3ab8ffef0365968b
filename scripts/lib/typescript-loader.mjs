// node --import ./scripts/lib/typescript-loader.mjs …: threads and processes that tests start can load files of src/.
// Vitest translates only what it imports itself, and Node 20 does not read TypeScript.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Translated files by what was in them. Hundreds of threads and processes of one test run load the same ones. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/gantry/typescript/', import.meta.url))

if (!import.meta.url.endsWith('?hooks')) register(`${import.meta.url}?hooks`)

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const source = await translate(readFileSync(fileURLToPath(url)))
  return { format: 'module', source, shortCircuit: true }
}

async function translate(typescript) {
  const place = `${CACHE}${createHash('sha256').update(typescript).digest('hex')}.js`
  if (existsSync(place)) return readFileSync(place)
  const { transform } = await import('esbuild')
  const { code } = await transform(typescript, { loader: 'ts', format: 'esm' })
  mkdirSync(CACHE, { recursive: true })
  // Others may write the same file now; none reads half of one.
  const half = `${place}.${randomUUID()}`
  writeFileSync(half, code)
  renameSync(half, place)
  return code
}
