import { parseUrl } from '@gantry/mcp/foreign'
import { type Command, Option } from 'commander'
import { CliError, CliExit } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { LOGIN_CLIENTS, type LoginClientName } from '../login/login-clients.ts'
import { walkLogin, type LoginStep } from '../login/walk-login.ts'
import { withAdmin } from '../open-admin.ts'
import { oneLine } from '../plain-text.ts'

const MAX_LINE = 300

interface LoginOptions extends GlobalOptions {
  readonly as: LoginClientName
}

/** `gantry doctor login`: signs in as a client does, up to the page that a person sees. */
export function registerLogin(doctor: Command, io: CliIo): void {
  const clients = new Option('--as <client>', 'the client to be').choices(Object.keys(LOGIN_CLIENTS))
  doctor
    .command('login')
    .argument('[url]', 'of an MCP server; the gateway of the configuration without it')
    .description(
      'Does what a client does to sign a person in – discovery, registration, the question for the person, the token endpoint – and says which step would fail in that client, and why. Nobody has to log in.',
    )
    .addOption(clients.makeOptionMandatory())
    .addHelpText(
      'after',
      '\nExit codes: 0 the person would see a page to log in on, 1 something is wrong.\n\nExamples:\n  gantry doctor login --as claude\n  gantry doctor login --as vscode https://mcp.example.com/mcp',
    )
    .action((url: string | undefined, _: unknown, self: Command) =>
      doctorLogin(url, self.optsWithGlobals<LoginOptions>(), io),
    )
}

async function doctorLogin(given: string | undefined, options: LoginOptions, io: CliIo): Promise<void> {
  if (given !== undefined && !/^https?:$/.test(parseUrl(given)?.protocol ?? '')) {
    throw new CliError(`${given} is no address`, {
      exitCode: 2,
      fix: 'gantry doctor login --as claude https://…/mcp',
    })
  }
  const url = given ?? (await ownEndpoint(io, options))
  const client = LOGIN_CLIENTS[options.as]
  const paint = paintFor(io.stdout, io, options)
  const steps: LoginStep[] = []
  if (!options.json) printLine(io.stdout, `Signing in to ${url} as ${client.title}`)
  for await (const step of walkLogin(url, client)) {
    steps.push(step)
    if (options.json) continue
    const mark = step.ok ? paint.green('✓') : paint.red('✗')
    printLine(io.stdout, `  ${mark} ${step.step}: ${oneLine(step.found, MAX_LINE)}`)
    if (step.fix !== undefined) printLine(io.stdout, `    ${step.fix}`)
  }
  const isWell = steps.every(({ ok }) => ok)
  if (options.json) printJson(io, { ok: isWell, client: options.as, url, steps })
  if (!isWell) throw new CliExit(1)
}

function ownEndpoint(io: CliIo, options: GlobalOptions): Promise<string> {
  return withAdmin(io, options, async ({ api }) => (await api.call('overview', {})).endpoint.mcp)
}
