import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CreateError } from './create-error.mjs'
import { frameworksOf, TRANSPORTS } from './frameworks.mjs'

const FLAGS = {
  transport: { type: 'string', short: 't' },
  framework: { type: 'string', short: 'f' },
  yes: { type: 'boolean', short: 'y' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
}

export const DEFAULT_FOLDER = 'my-server'

/** The flags as they were given; wrong ones are refused with those that exist. */
export function readFlags(args) {
  const { values, positionals } = parse(args)
  if (positionals.length > 1) throw new CreateError(`Give one folder, not ${positionals.length}.`)
  const { transport, framework } = values
  oneOf('--transport', transport, Object.keys(TRANSPORTS))
  oneOf('--framework', framework, frameworksOf('http'))
  if (transport === 'stdio' && framework)
    throw new CreateError(
      `--framework ${framework} serves HTTP. Leave out --transport stdio, or --framework.`,
    )
  return { ...values, folder: positionals[0], transport: transport ?? (framework && 'http') }
}

function parse(args) {
  try {
    return parseArgs({ args, options: FLAGS, allowPositionals: true })
  } catch (error) {
    throw new CreateError(`${error.message.split('. ')[0]}. --help lists what there is.`)
  }
}

function oneOf(flag, value, known) {
  if (value !== undefined && !known.includes(value))
    throw new CreateError(`${flag} ${value} is unknown. Choose one of: ${known.join(', ')}.`)
}

/** What is not given is the default. */
export function complete({ folder = DEFAULT_FOLDER, transport = 'stdio', framework }) {
  return { folder: resolve(folder), name: nameOf(folder), framework: framework ?? frameworksOf(transport)[0] }
}

/** The name of the package is that of its folder; npm and MCP clients take these characters everywhere. */
export function nameOf(folder) {
  const name = basename(resolve(folder))
  if (/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name) && name !== 'node_modules') return name
  const better = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 100)
  throw new CreateError(
    `"${name}" cannot be the name of a package: use small letters, digits, "-", "_" and ".", and begin with a letter or digit.${better && better !== 'node_modules' ? ` "${better}" would do.` : ''}`,
  )
}

export const HELP = `Makes a new MCP server.

  npm create gantry@latest [FOLDER] -- [OPTIONS]

  FOLDER                 where to make it; its last part is the name (default: ${DEFAULT_FOLDER})
  -t, --transport NAME   ${Object.keys(TRANSPORTS).join(' or ')} (default: stdio)
  -f, --framework NAME   for HTTP: ${frameworksOf('http').join(', ')} (default: ${frameworksOf('http')[0]})
  -y, --yes              ask nothing; use the defaults for what is not given
  -h, --help             print this
  -v, --version          print the version

In a terminal it asks for what is not given. Elsewhere it asks nothing, and wants a FOLDER or --yes.
`
