import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { ask } from './ask.mjs'
import { CreateError } from './create-error.mjs'
import { createProject } from './create-project.mjs'
import { complete, HELP, readFlags } from './read-options.mjs'

/**
 * The command; returns its exit code.
 *
 * @param {readonly string[]} args
 * @param {{ input?: NodeJS.ReadableStream, output?: NodeJS.WritableStream, errors?: NodeJS.WritableStream }} [streams]
 */
export async function runCreate(
  args,
  { input = process.stdin, output = process.stdout, errors = process.stderr } = {},
) {
  try {
    const flags = readFlags(args)
    if (flags.help) return say(output, HELP)
    if (flags.version) return say(output, `${ownVersion()}\n`)
    const project = complete(flags.yes ? flags : await settle(flags, input, output))
    createProject(project)
    return say(output, nextSteps(project))
  } catch (error) {
    if (!(error instanceof CreateError)) throw error
    errors.write(`${error.message}\n`)
    return 1
  }
}

async function settle(flags, input, output) {
  if (input.isTTY && output.isTTY) return ask(flags, { input, output })
  if (flags.folder === undefined)
    throw new CreateError('Give a folder, as in: npm create gantry@latest my-server. Or give --yes.')
  return flags
}

function nextSteps({ folder, framework }) {
  const path = relative(process.cwd(), folder)
  return `Made ${folder}

${path === '' ? '' : `  cd ${/\s/.test(path) ? JSON.stringify(path) : path}\n`}  npm install
  npm test
  npm ${framework === 'next' || framework === 'workers' ? 'run dev' : 'start'}

README.md says how to connect a client.
`
}

function ownVersion() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

function say(output, text) {
  output.write(text)
  return 0
}
