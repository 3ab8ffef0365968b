import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleSdk } from './bundle-sdk.mjs'
import { isStale, stamp } from './freshness.mjs'
import { ROOT, toolPath } from './paths.mjs'
import { runNode } from './processes.mjs'

const inPackage = (name, ...path) => join(ROOT, 'packages', name, ...path)
// A failed compilation writes output too, so a stamp made after success tells what is fresh.
const stampOf = (name) => join(ROOT, 'node_modules', '.cache', 'gantry', `built-${name}`)

/** Where the published gateway has the console. */
const CONSOLE = 'dist/console'

const PARTS = [
  { name: 'mcp', output: 'dist/index.js', needs: [], make: makeSdk },
  { name: 'gateway', output: 'dist/.tsbuildinfo', needs: ['mcp'], make: compile },
  { name: 'console', output: `../gateway/${CONSOLE}/index.html`, needs: ['gateway'], make: makeConsole },
]

/** Builds what is stale and says so; returns the names of what was built. */
export async function build() {
  const stale = PARTS.filter((part) => exists(part) && isPartStale(part))
  for (const part of stale) {
    console.log(`building ${part.name} …`)
    // Made before the time is taken: a new folder changes the one that it is in, which is a source. Files have
    // finer times than this clock.
    mkdirSync(inPackage(part.name, 'dist'), { recursive: true })
    const time = Date.now() + 1
    await part.make(part.name)
    stamp(stampOf(part.name), time)
  }
  return stale.map((part) => part.name)
}

/** Whether what was built of a package is as new as its sources. */
export function isBuilt(name) {
  return !isPartStale(PARTS.find((part) => part.name === name))
}

function exists({ name, make }) {
  return existsSync(inPackage(name, make === makeConsole ? 'vite.config.ts' : 'src'))
}

function isPartStale({ name, output, needs }) {
  const inputs = [name, ...needs].map((part) => inPackage(part))
  return (
    !existsSync(inPackage(name, output)) ||
    isStale(stampOf(name), [...inputs, join(ROOT, 'tsconfig.base.json')])
  )
}

async function compile(name) {
  pruneOutput(name)
  await must('TypeScript', [toolPath('typescript', 'tsc'), '-b', inPackage(name)])
}

/** The compiler writes declarations only; the scripts are bundles. */
async function makeSdk(name) {
  await compile(name)
  await bundleSdk(inPackage(name))
}

async function makeConsole(name) {
  await must('Vite', [toolPath('vite'), 'build', '--logLevel', 'warn'], { cwd: inPackage(name) })
  rmSync(inPackage('gateway', CONSOLE), { recursive: true, force: true })
  cpSync(inPackage(name, 'dist'), inPackage('gateway', CONSOLE), { recursive: true })
}

async function must(tool, args, options) {
  const code = await runNode(args, options)
  if (code !== 0) throw new Error(`${tool} failed (exit code ${code}); its messages are above`)
}

/** Removes built files whose source is gone: the compiler leaves them, and they would be packed. */
function pruneOutput(name) {
  for (const file of filesIn(inPackage(name, 'dist')).filter(
    (path) => !/^(chunks|console)[\\/]/.test(path),
  )) {
    const stem = /^(.*?)(?:\.d)?\.(?:js|ts)$/.exec(file)?.[1]
    const sources = ['.ts', '.tsx'].map((extension) => inPackage(name, 'src', `${stem}${extension}`))
    if (stem !== undefined && !sources.some(existsSync)) rmSync(inPackage(name, 'dist', file))
  }
}

function filesIn(folder, prefix = '') {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((entry) => {
    const path = join(prefix, entry)
    return statSync(join(folder, entry)).isDirectory() ? filesIn(join(folder, entry), path) : [path]
  })
}
