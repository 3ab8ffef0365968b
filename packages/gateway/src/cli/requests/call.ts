import type { Command } from 'commander'
import type { AdminApi, JsonObject } from '../../admin/contract.ts'
import { action, type Cli } from '../cli.ts'
import { CliExit } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { formatBlock } from './format-content.ts'
import { withAdmin } from '../open-admin.ts'
import { readArguments } from './read-arguments.ts'
import { runRequest, type RequestOptions } from './run-request.ts'
import { addRequestOptions, collect } from './request-flags.ts'

interface CallOptions extends RequestOptions {
  readonly arg?: string[]
}

export function register(program: Command, io: CliIo): void {
  const command = program
    .command('call')
    .argument('<name>', 'the tool, as clients see it: "gantry tools" lists them')
    .argument('[json]', 'its arguments as a JSON object, @FILE, or - for standard input')
    .description('Calls a tool and prints its result. Questions of the server are asked on the terminal.')
    .option('-a, --arg <name=value>', 'one argument; may be repeated', collect)
    .addHelpText(
      'after',
      `
Exit codes: 0 the tool worked, 1 it failed, 2 the command or the configuration is wrong.

Examples:
  gantry call demo_list_notes
  gantry call demo_add_note '{"title": "Milk", "text": "2 l"}'
  gantry call demo_add_note --arg title=Milk --arg text="2 l" --era legacy`,
    )
    .action(action(io, call))
  addRequestOptions(command)
}

async function call(name: string, json: string | undefined, cli: Cli<CallOptions>): Promise<void> {
  const result = await withAdmin(cli, async ({ api }) => {
    const schema = cli.options.arg !== undefined ? await schemaOf(api, name) : undefined
    const given = await readArguments({ json, pairs: cli.options.arg ?? [], schema }, cli.io)
    const params = { name, arguments: given }
    return runRequest(api, { method: 'tools/call', params, label: `Calling ${name}` }, cli)
  })
  print(result, cli)
  if (result.isError === true) throw new CliExit(1)
}

/** The input schema of a tool; undefined when the tool is unknown, which the call itself will report. */
async function schemaOf(api: AdminApi, key: string): Promise<JsonObject | undefined> {
  const look = () => api.call('catalogEntry', { query: { kind: 'tool', key } }).catch(() => undefined)
  let found = await look()
  if (!found) {
    await api.call('catalog', { query: { refresh: true } })
    found = await look()
  }
  return found?.definition.inputSchema as JsonObject | undefined
}

function print(result: JsonObject, cli: Cli<CallOptions>): void {
  if (cli.json) return cli.printJson(result)
  const content = Array.isArray(result.content) ? result.content : []
  for (const block of content) cli.say(formatBlock(block, cli))
  if (content.length === 0 && result.structuredContent !== undefined) cli.printJson(result.structuredContent)
}
