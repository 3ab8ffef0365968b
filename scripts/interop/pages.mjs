// Runs both sides of the pages "Coming from …" on stdio, and lets the official client ask them the same.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { npmCommand } from '../lib/install.mjs'
import { ROOT } from '../lib/paths.mjs'
import { run } from '../lib/processes.mjs'
import { blocksOf } from '../lib/snippets.mjs'
import { seenByOfficialClient } from './official-view.mjs'

const HOME = join(ROOT, 'node_modules', '.cache', 'gantry', 'interop', 'pages')

const ASKED = {
  calls: [
    ['add', { a: 2, b: 3 }],
    ['ask', {}],
    ['fail', {}],
  ],
  prompts: [['greet', { name: 'Ada' }]],
  resources: ['note://7'],
  answer: { name: 'Ada' },
}

const PAGES = [
  { name: 'fastmcp-typescript', language: 'typescript', install: fromNpm('fastmcp@4', 'zod@4') },
  { name: 'fastmcp-python', language: 'python', install: fromPypi('fastmcp>=4,<5') },
  { name: 'python-sdk', language: 'python', install: fromPypi('mcp>=2.3,<3') },
  // The gem cannot be fetched from npm or PyPI. Where it is installed, the page is proved like the others.
  { name: 'ruby-sdk', language: 'ruby', install: withRuby },
]

/** Returns how many pages differ. */
export async function provePages(names) {
  let failures = 0
  for (const page of PAGES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const folder = join(HOME, page.name)
    mkdirSync(folder, { recursive: true })
    const found = await prove(page, folder).catch((error) => ({ problem: String(error.message ?? error) }))
    if (found.problem) failures++
    const mark = found.problem ? '✗' : found.missing ? '-' : '✓'
    console.log(
      `${mark} coming from ${page.name}${(found.problem ?? found.missing) ? `: ${found.problem ?? found.missing}` : ''}`,
    )
  }
  return failures
}

async function prove({ name, language, install }, folder) {
  const blocks = blocksOf(readFileSync(join(ROOT, `docs/coming-from-${name}.md`), 'utf8'))
  const launch = await install(folder)
  if (launch.missing) return launch
  const file = join(folder, launch.file)
  const theirs = blocks.find((block) => block.language === language).text
  writeFileSync(file, language === 'typescript' ? await toJavaScript(theirs) : theirs)
  const ours = join(ROOT, 'node_modules', '.cache', 'gantry', 'interop', 'pages', `${name}.mjs`)
  const serve = "\nimport { serveStdio } from '@gantry/mcp/server/node'\nawait serveStdio(app)\n"
  writeFileSync(ours, await toJavaScript(blocks.find((block) => block.language === 'ts').text + serve))
  const expected = await seenByOfficialClient({ command: process.execPath, args: [ours] }, ASKED)
  const seen = await seenByOfficialClient(
    { command: launch.command, args: [...launch.args, file], cwd: folder },
    ASKED,
  )
  return { problem: differenceOfAnswers(expected, seen) }
}

/** SDKs may say more than we do, and write JSON with other spaces; the content, and whether it is an error, are the same. */
function differenceOfAnswers(ours, theirs) {
  const names = ({ tools }) => tools.map(({ name }) => name).join(', ')
  if (names(ours) !== names(theirs)) return `tools: ${names(ours)} ≠ ${names(theirs)}`
  const at = ours.answers.findIndex((answer, index) => plain(answer) !== plain(theirs.answers[index], answer))
  return at < 0 ? undefined : `answer ${at + 1}: ${plain(ours.answers[at])} ≠ ${plain(theirs.answers[at])}`
}

function plain({ content, structuredContent, isError = false, messages, contents }, like) {
  const structured = like && like.structuredContent === undefined ? undefined : structuredContent
  const text = JSON.stringify({
    content,
    structured,
    isError,
    messages,
    contents: contents?.map(({ text }) => text),
  })
  // The Python SDK puts this in front of the text of an error; its page says so.
  return text
    .replaceAll(/Error executing tool \w+: /g, '')
    .replaceAll(/\\n\s*/g, '')
    .replaceAll(/: (?=\d)/g, ':')
}

async function toJavaScript(text) {
  return (await transform(text, { loader: 'ts', format: 'esm', target: 'node20' })).code
}

function fromNpm(...packages) {
  return async (folder) => {
    if (!existsSync(join(folder, 'node_modules'))) {
      writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
      const { command, args } = npmCommand()
      await must(
        command,
        [...args, 'install', '--no-audit', '--no-fund', '--loglevel=error', ...packages],
        folder,
      )
    }
    return { command: process.execPath, args: [], file: 'server.mjs' }
  }
}

function fromPypi(requirement) {
  return async (folder) => {
    const python = join(folder, 'venv', 'bin', 'python')
    if (!existsSync(python)) await must('python3', ['-m', 'venv', join(folder, 'venv')], folder)
    await must(
      python,
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement],
      folder,
    )
    return { command: python, args: ['-B'], file: 'server.py' }
  }
}

async function withRuby() {
  const found = spawnSync('ruby', ['-e', 'require "mcp"'], { stdio: 'ignore' })
  return found.status === 0
    ? { command: 'ruby', args: [], file: 'server.rb' }
    : { missing: 'the gem `mcp` is not installed, so only our side is run' }
}

async function must(command, args, cwd) {
  const code = await run(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}
