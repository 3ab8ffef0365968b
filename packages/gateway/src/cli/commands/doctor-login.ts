import { parseUrl } from '@gantry/mcp/foreign'
import { type Command, Option } from 'commander'
import { action, type Cli } from '../cli.ts'
import { CliError, CliExit } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
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
    .action(action(io, doctorLogin))
}

async function doctorLogin(given: string | undefined, cli: Cli<LoginOptions>): Promise<void> {
  if (given !== undefined && !/^https?:$/.test(parseUrl(given)?.protocol ?? '')) {
    throw new CliError(`${given} is not an address`, {
      exitCode: 2,
      fix: 'gantry doctor login --as claude https://…/mcp',
    })
  }
  const url = given ?? (await ownEndpoint(cli))
  const client = LOGIN_CLIENTS[cli.options.as]
  const { paint } = cli
  const steps: LoginStep[] = []
  if (!cli.json) cli.say(`Signing in to ${url} as ${client.title}`)
  for await (const step of walkLogin(url, client)) {
    steps.push(step)
    if (cli.json) continue
    const mark = step.ok ? paint.green('✓') : paint.red('✗')
    cli.say(`  ${mark} ${step.step}: ${oneLine(step.found, MAX_LINE)}`)
    if (step.fix !== undefined) cli.say(`    ${step.fix}`)
  }
  const isWell = steps.every(({ ok }) => ok)
  if (cli.json) cli.printJson({ ok: isWell, client: cli.options.as, url, steps })
  if (!isWell) throw new CliExit(1)
}

function ownEndpoint(cli: Cli): Promise<string> {
  return withAdmin(cli, async ({ api }) => (await api.call('overview', {})).endpoint.mcp)
}
