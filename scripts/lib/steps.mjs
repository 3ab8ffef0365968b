import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { ROOT, toolPath } from './paths.mjs'
import { runNode } from './processes.mjs'

/** Where both eras meet, each way; `npm run conformance -- gateway` runs the whole matrix. */
const CORE_CELLS = ['2025-11-25/modern-http/alone', '2026-07-28/legacy-stdio/alone']

/**
 * In CI the files of failed tests run once more, alone: a test that needs more of the machine than its neighbours
 * left is not a fault. More files than this are broken, not unlucky.
 */
const MOST_FILES_TO_REPEAT = 4

/**
 * What `npm test` does, in order. A step gets further command-line arguments and a folder for its files, and
 * answers with how many tests passed and failed; a step that is one check as a whole counts no tests. Steps of one
 * `group` run beside each other: most of them use one processor, and none needs another.
 */
export const STEPS = [
  { name: 'format', group: 'sources', run: () => tool('@biomejs/biome', 'biome', ['format', '.']) },
  {
    name: 'lint',
    group: 'sources',
    run: () => tool('@biomejs/biome', 'biome', ['lint', '--error-on-warnings', '.']),
  },
  {
    name: 'layers',
    group: 'sources',
    run: () => tool('dependency-cruiser', 'depcruise', ['--config', '.dependency-cruiser.mjs', 'packages']),
  },
  // Hints about its configuration are advice; what nothing uses is an error.
  {
    name: 'unused',
    group: 'sources',
    run: () => tool('knip', 'knip', ['--no-progress', '--no-config-hints']),
  },
  { name: 'build', group: 'sources', run: buildAll },
  { name: 'types', run: checkTypes },
  { name: 'unit', run: vitest },
  { name: 'conformance-server', run: (args, folder) => conformance('server', args, folder) },
  { name: 'conformance-client', run: (args, folder) => conformance('client', args, folder) },
  { name: 'conformance-authorization', run: (args, folder) => conformance('authorization', args, folder) },
  {
    name: 'conformance-gateway',
    run: (args, folder) =>
      conformance('gateway', args.length > 0 ? args : CORE_CELLS.flatMap((cell) => ['--cell', cell]), folder),
  },
  // Whether the benchmarks run, never how fast: that depends on the machine.
  {
    name: 'bench',
    run: async (args) => asCounts(await runNode(['bench/run.mjs', '--short', '--no-build', ...args])),
  },
]

async function tool(packageName, command, args) {
  return asCounts(await runNode([toolPath(packageName, command), ...args]))
}

async function buildAll() {
  try {
    await build()
    return { passed: 0, failed: 0 }
  } catch (error) {
    console.error(error.message)
    return { passed: 0, failed: 1 }
  }
}

/** What the build does not compile with `tsc`: the console, which Vite strips, all tests, and those whose subject is types. */
async function checkTypes(args, folder) {
  const projects = ['packages/console', 'tests'].map((project) =>
    tool('typescript', 'tsc', ['-p', project, '--noEmit']),
  )
  const checked = await Promise.all(projects)
  return checked.find(({ failed }) => failed > 0) ?? vitest(['--typecheck.only', ...args], folder)
}

async function vitest(args, folder) {
  const first = await runVitest(args, join(folder, 'vitest.json'))
  const { failedFiles, homelessErrors } = first
  if (!process.env.CI || failedFiles.length === 0 || failedFiles.length > MOST_FILES_TO_REPEAT) return first
  if (homelessErrors > 0) return first
  console.log(`\nFailed: ${failedFiles.join(', ')}. Each file runs once more, with nothing beside it.`)
  const flags = args.filter((arg) => arg.startsWith('-'))
  const again = await runVitest(
    [...failedFiles, ...flags, '--maxWorkers=1'],
    join(folder, 'vitest-again.json'),
  )
  if (again.failed > 0) return { ...first, failed: again.failed }
  console.log(`Passed only when run alone, so look at their timing: ${failedFiles.join(', ')}`)
  return { ...first, passed: first.passed + first.failed, failed: 0 }
}

async function runVitest(args, file) {
  const reporters = ['--reporter=default', `--reporter=${join(ROOT, 'scripts', 'lib', 'test-report.mjs')}`]
  const env = { ...process.env, TEST_REPORT: file }
  const code = await runNode([toolPath('vitest'), 'run', ...reporters, ...args], { env })
  const report = readReport(file) ?? { skipped: 0, failedFiles: [], homelessErrors: 0 }
  return { ...report, ...asCounts(code, report.passed, report.failed) }
}

async function conformance(role, args, folder) {
  const file = join(folder, `conformance-${role}.json`)
  const run = () => runNode(['conformance/run.mjs', role, '--json', file, ...args])
  let code = await run()
  // Some scenarios measure time; one that fails again has failed.
  if (code !== 0 && process.env.CI) code = await run()
  const report = readReport(file)
  return asCounts(code, report?.passed, report?.failed)
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** A step that failed without naming a test counts as one failure: the sum must never look clean. */
function asCounts(code, passed = 0, failed = 0) {
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1) }
}
