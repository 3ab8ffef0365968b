import type { Command } from 'commander'
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { plainText } from '../plain-text.ts'
import { afterDashes, collect } from '../requests/request-flags.ts'
import { type Offer, writeTypes } from '../types/write-types.ts'

interface TypesOptions extends GlobalOptions {
  readonly header?: string[]
}

const PATIENCE = 60_000

export function register(program: Command, io: CliIo): void {
  program
    .command('types')
    .argument('[server...]', 'the URL of a server, or its command; after -- where the command has flags')
    .description(
      'Writes the types of a server to standard output, from the schemas that it gives: connect<App>(…) of the SDK is typed by them.',
    )
    .option('-H, --header <name: value>', 'a header for a URL; may be repeated', collect)
    .addHelpText(
      'after',
      '\nExamples:\n  gantry types https://mcp.example.com/mcp > app.d.ts\n  gantry types node server.mjs > app.d.ts\n  gantry types -- npx -y some-server --flag > app.d.ts',
    )
    .action((words: string[], _: unknown, self: Command) =>
      types(words, afterDashes(self), new Cli(self.optsWithGlobals<TypesOptions>(), io)),
    )
}

async function types(words: string[], dashed: string[], cli: Cli<TypesOptions>): Promise<void> {
  const [first, ...rest] = dashed.length > 0 ? dashed : words
  if (first === undefined)
    throw new CliError('Which server?', { exitCode: 2, fix: 'gantry types URL, or gantry types -- COMMAND' })
  const isUrl = rest.length === 0 && /^https?:\/\//i.test(first)
  const target = isUrl ? first : stdio(first, rest, { cwd: cli.io.places.cwd })
  const headers = headersOf(cli.options.header)
  const label = `Asking ${plainText(first)}`
  const offer = await cli
    .progress(label, () => ask(target, headers))
    .catch((error: Error) => {
      const fix = `gantry doctor ${isUrl ? first : `-- ${[first, ...rest].join(' ')}`}`
      throw new CliError(plainText(error.message), { fix, cause: error })
    })
  cli.io.stdout.write(writeTypes(offer))
  const count = `${offer.tools.length} tools, ${offer.prompts.length} prompts`
  cli.note(`${count}, ${offer.resources.length + offer.templates.length} resources and templates`)
}

async function ask(target: Parameters<typeof connect>[0], headers: Record<string, string>): Promise<Offer> {
  const signal = AbortSignal.timeout(PATIENCE)
  const client = await connect(target, { name: 'gantry-types', signal, http: { headers } })
  try {
    const { tools, prompts, resources } = client.serverCapabilities ?? {}
    return {
      server: client.serverInfo,
      tools: tools ? await client.listTools({ signal }).all() : [],
      prompts: prompts ? await client.listPrompts({ signal }).all() : [],
      resources: resources ? await client.listResources({ signal }).all() : [],
      // Servers with resources may know no templates.
      templates: resources ? await orNone(client.listResourceTemplates({ signal }).all()) : [],
    }
  } finally {
    await client.close()
  }
}

function orNone<Item>(list: Promise<Item[]>): Promise<Item[]> {
  return list.catch(() => [])
}

function headersOf(lines: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      throw new CliError('A header has a name and a value', {
        exitCode: 2,
        fix: '--header "Authorization: Bearer …"',
      })
    }),
  )
}
