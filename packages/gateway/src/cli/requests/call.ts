import type { Command } from 'commander'
import type { AdminApi, JsonObject } from '../../admin/contract.ts'
import { CliExit } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo } from '../cli-io.ts'
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
    .action((name: string, json: string | undefined, _: unknown, self: Command) =>
      call(name, json, self.optsWithGlobals<CallOptions>(), io),
    )
  addRequestOptions(command)
}

async function call(name: string, json: string | undefined, options: CallOptions, io: CliIo): Promise<void> {
  const result = await withAdmin(io, options, async ({ api }) => {
    const schema = options.arg !== undefined ? await schemaOf(api, name) : undefined
    const given = await readArguments({ json, pairs: options.arg ?? [], schema }, io)
    const params = { name, arguments: given }
    return runRequest(api, { method: 'tools/call', params, label: `Calling ${name}` }, options, io)
  })
  print(result, options, io)
  if (result.isError === true) throw new CliExit(1)
}

/** What the tool says about its arguments, when it is known already: calling it will find out otherwise. */
async function schemaOf(api: AdminApi, key: string): Promise<JsonObject | undefined> {
  const look = () => api.call('catalogEntry', { query: { kind: 'tool', key } }).catch(() => undefined)
  let found = await look()
  if (!found) {
    await api.call('catalog', { query: { refresh: true } })
    found = await look()
  }
  return found?.definition.inputSchema as JsonObject | undefined
}

function print(result: JsonObject, options: CallOptions, io: CliIo): void {
  if (options.json) return printJson(io, result)
  const paint = paintFor(io.stdout, io, options)
  const content = Array.isArray(result.content) ? result.content : []
  for (const block of content) printLine(io.stdout, formatBlock(block, io, paint))
  if (content.length === 0 && result.structuredContent !== undefined) printJson(io, result.structuredContent)
}
