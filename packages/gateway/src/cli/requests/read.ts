import type { Command } from 'commander'
import type { JsonObject } from '../../admin/contract.ts'
import { action, type Cli } from '../cli.ts'
import type { CliIo } from '../cli-io.ts'
import { formatResource } from './format-content.ts'
import { withAdmin } from '../open-admin.ts'
import { addRequestOptions } from './request-flags.ts'
import { runRequest, type RequestOptions } from './run-request.ts'

export function register(program: Command, io: CliIo): void {
  const command = program
    .command('read')
    .argument('<uri>', 'the resource, as clients see it: "gantry tools --kind resource" lists them')
    .description('Reads a resource and prints its text; binary content goes to a pipe as it is.')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry read demo+note:///welcome\n  gantry read files+file:///logo.png > logo.png',
    )
    .action(action(io, read))
  addRequestOptions(command)
}

async function read(uri: string, cli: Cli<RequestOptions>): Promise<void> {
  const request = { method: 'resources/read', params: { uri }, label: `Reading ${uri}` }
  const result = await withAdmin(cli, ({ api }) => runRequest(api, request, cli))
  if (cli.json) return cli.printJson(result)
  for (const content of (Array.isArray(result.contents) ? result.contents : []) as JsonObject[]) {
    if (typeof content.blob === 'string' && !cli.io.stdout.isTTY) {
      cli.io.stdout.write(Buffer.from(content.blob, 'base64') as unknown as string)
    } else {
      const text = formatResource(content, cli)
      cli.say(text.replace(/\n$/, ''))
    }
  }
}
