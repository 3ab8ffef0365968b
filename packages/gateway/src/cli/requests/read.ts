import type { Command } from 'commander'
import type { JsonObject } from '../../admin/contract.ts'
import { paintFor, printJson, printLine, type CliIo } from '../cli-io.ts'
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
    .action((uri: string, _: unknown, self: Command) => read(uri, self.optsWithGlobals<RequestOptions>(), io))
  addRequestOptions(command)
}

async function read(uri: string, options: RequestOptions, io: CliIo): Promise<void> {
  const request = { method: 'resources/read', params: { uri }, label: `Reading ${uri}` }
  const result = await withAdmin(io, options, ({ api }) => runRequest(api, request, options, io))
  if (options.json) return printJson(io, result)
  const paint = paintFor(io.stdout, io, options)
  for (const content of (Array.isArray(result.contents) ? result.contents : []) as JsonObject[]) {
    if (typeof content.blob === 'string' && !io.stdout.isTTY) {
      io.stdout.write(Buffer.from(content.blob, 'base64') as unknown as string)
    } else {
      const text = formatResource(content, io, paint)
      printLine(io.stdout, text.replace(/\n$/, ''))
    }
  }
}
