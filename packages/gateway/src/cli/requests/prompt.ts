import { writeJson } from '@gantry/mcp/exchange'
import type { Command } from 'commander'
import type { JsonObject } from '../../admin/contract.ts'
import { action, type Cli } from '../cli.ts'
import type { CliIo } from '../cli-io.ts'
import { formatBlock } from './format-content.ts'
import { withAdmin } from '../open-admin.ts'
import { readArguments } from './read-arguments.ts'
import { addRequestOptions, collect } from './request-flags.ts'
import { runRequest, type RequestOptions } from './run-request.ts'

interface PromptOptions extends RequestOptions {
  readonly arg?: string[]
}

export function register(program: Command, io: CliIo): void {
  const command = program
    .command('prompt')
    .argument('<name>', 'the prompt, as clients see it: "gantry tools --kind prompt" lists them')
    .argument('[json]', 'its arguments as a JSON object, @FILE, or - for standard input')
    .description('Gets a prompt and prints its messages.')
    .option('-a, --arg <name=value>', 'one argument; may be repeated', collect)
    .addHelpText('after', '\nExample:\n  gantry prompt demo_summarise --arg id=welcome')
    .action(action(io, prompt))
  addRequestOptions(command)
}

async function prompt(name: string, json: string | undefined, cli: Cli<PromptOptions>): Promise<void> {
  // Arguments of prompts are always text.
  const given = await readArguments({ json, pairs: cli.options.arg ?? [], schema: undefined }, cli.io)
  const texts = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, toText(value)]))
  const params = { name, arguments: texts }
  const result = await withAdmin(cli, ({ api }) =>
    runRequest(api, { method: 'prompts/get', params, label: `Getting ${name}` }, cli),
  )
  if (cli.json) return cli.printJson(result)
  const { paint } = cli
  for (const { role, content } of (Array.isArray(result.messages) ? result.messages : []) as JsonObject[]) {
    cli.say(`${paint.bold(`${String(role)}:`)} ${formatBlock(content, cli)}`)
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value)
}
