// Rewrites servers that others have published with `gantry codemod`, and lets the official client ask both forms the
// same. Nothing of them is kept in this repository.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmCommand } from '../lib/install.mjs'
import { ROOT } from '../lib/paths.mjs'
import { run, runNode } from '../lib/processes.mjs'
import { differenceOf, seenByOfficialClient } from './official-view.mjs'

const HOME = join(ROOT, 'node_modules', '.cache', 'gantry', 'interop', 'codemod')

/** Versions are fixed, so that a new one of theirs does not look like a fault of ours. */
const SERVERS = [
  {
    name: 'sequential-thinking',
    package: '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
    calls: [
      ['sequentialthinking', { thought: 'One', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 }],
      [
        'sequentialthinking',
        { thought: 'Two', nextThoughtNeeded: 'false', thoughtNumber: '2', totalThoughts: 2 },
      ],
    ],
  },
  {
    name: 'code-runner',
    package: 'mcp-server-code-runner@0.1.8',
    calls: [
      ['run-code', { code: 'console.log(6 * 7)', languageId: 'javascript' }],
      ['run-code', { code: '', languageId: 'javascript' }],
    ],
  },
  {
    name: 'hello-world',
    package: 'mcp-hello-world@1.1.2',
    calls: [
      ['echo', { message: 'hello' }],
      ['add', { a: 2, b: 3 }],
    ],
    prompts: [['helpful-assistant', {}]],
    resources: ['hello://world', 'greeting://Ada'],
  },
  {
    name: 'eslint',
    package: '@eslint/mcp@0.3.13',
    files: { 'eslint.config.mjs': 'export default [{ rules: { semi: "error" } }]\n', 'a.mjs': 'let a = 1\n' },
    calls: [['lint-files', { filePaths: ['DIR/a.mjs'] }]],
  },
  {
    name: 'time',
    package: 'time-mcp@1.0.6',
    calls: [
      ['days_in_month', { date: '2024-02-01' }],
      ['get_timestamp', { time: '2025-03-23 12:30:00.000' }],
      ['get_week_year', { date: '2025-03-23' }],
      [
        'convert_time',
        { sourceTimezone: 'Asia/Tokyo', targetTimezone: 'Europe/London', time: '2025-03-23 12:30:00' },
      ],
    ],
  },
]

/** Returns how many servers differ. */
export async function proveCodemod(names) {
  const wanted = SERVERS.filter(({ name }) => names.length === 0 || names.includes(name))
  mkdirSync(HOME, { recursive: true })
  await npm(['pack', '--silent', '--pack-destination', HOME, '-w', 'packages/mcp'], ROOT)
  let failures = 0
  for (const server of wanted) {
    const problem = await prove(server).catch((error) => String(error.message ?? error))
    if (problem) failures++
    console.log(`${problem ? '✗' : '✓'} codemod ${server.package}${problem ? `\n    ${problem}` : ''}`)
  }
  return failures
}

async function prove(server) {
  const before = await published(server)
  const after = await rewritten(server, before)
  const views = []
  for (const project of [before.project, after]) views.push(await view(server, project))
  return differenceOf(...views)
}

/** The package as it was published, with what it needs. */
async function published({ name, package: spec }) {
  const folder = join(HOME, name, 'before')
  const project = join(folder, 'node_modules', spec.slice(0, spec.lastIndexOf('@')))
  if (!existsSync(project)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    await npm(['install', spec], folder)
  }
  return { project }
}

/** The package after the codemod, as a project of its own. */
async function rewritten({ name }, { project }) {
  const folder = join(HOME, name, 'after')
  rmSync(folder, { recursive: true, force: true })
  cpSync(project, folder, { recursive: true, filter: (path) => path !== join(project, 'node_modules') })
  const gantry = join(ROOT, 'packages', 'gateway', 'bin', 'gantry.mjs')
  const code = await runNode([gantry, 'codemod', folder, '--write'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (code !== 0) throw new Error(`the codemod ended with ${code}`)
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/mcp/package.json'), 'utf8'))
  manifest.dependencies['@gantry/mcp'] = `file:${join(HOME, `gantry-mcp-${version}.tgz`)}`
  delete manifest.scripts
  writeFileSync(file, JSON.stringify(manifest))
  await npm(['install', '--omit=dev'], folder)
  return folder
}

function view({ name, calls, prompts = [], resources = [], files = {} }, project) {
  const { bin } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const script = typeof bin === 'string' ? bin : Object.values(bin)[0]
  const folder = join(HOME, name, 'work')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const place = (value) => JSON.parse(JSON.stringify(value).replaceAll('DIR', folder))
  const launch = { command: process.execPath, args: [join(project, script)], cwd: folder }
  return seenByOfficialClient(launch, { calls: place(calls), prompts, resources })
}

async function npm(args, cwd) {
  const { command, args: first } = npmCommand()
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const code = await run(command, [...first, ...args, ...quiet], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed`)
}
