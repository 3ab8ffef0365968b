// npm run created               makes a project of every kind with create-gantry, installs it and runs its tests
// npm run created -- next       of one kind
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FRAMEWORKS } from '../packages/create-gantry/src/frameworks.mjs'
import { createProject } from '../packages/create-gantry/src/create-project.mjs'
import { build } from './lib/build.mjs'
import { installProject, npmCommand } from './lib/install.mjs'
import { run, stopWithParent } from './lib/processes.mjs'
import { ROOT } from './lib/paths.mjs'

stopWithParent()
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'packages/mcp/package.json'), 'utf8'))
const tarball = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`

/** What a framework makes of the project, beside its tests. */
const BUILDS = { next: ['run', 'build'], workers: ['exec', '--', 'wrangler', 'deploy', '--dry-run'] }

async function npm(args, cwd) {
  const { command, args: first } = npmCommand()
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', WRANGLER_SEND_METRICS: 'false' }
  const code = await run(command, [...first, '--loglevel=error', ...args], { cwd, env })
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed in ${cwd}`)
}

async function check(framework, home) {
  const folder = join(home, framework)
  createProject({ folder, name: framework, framework })
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  manifest.dependencies[name] = `file:${join(home, tarball)}`
  writeFileSync(file, JSON.stringify(manifest))
  await npm(['install'], folder)
  await npm(['test'], folder)
  if (BUILDS[framework]) await npm(BUILDS[framework], folder)
}

const home = mkdtempSync(join(tmpdir(), 'gantry-created-'))
try {
  await installProject()
  await build()
  await npm(['pack', '--pack-destination', home, '-w', 'packages/mcp'], ROOT)
  const wanted = process.argv.slice(2)
  for (const framework of wanted.length > 0 ? wanted : Object.keys(FRAMEWORKS)) {
    await check(framework, home)
    console.log(`== ${framework}: ok`)
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(home, { recursive: true, force: true })
}
