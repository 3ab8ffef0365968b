import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { acceptText, findConfig, formatOf, writeFileAtomic } from '../../config/index.ts'
import { planImport } from '../../config/import/index.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { shorten } from '../format-problem.ts'
import { starterConfig } from '../starter-config.ts'

interface InitOptions extends GlobalOptions {
  readonly yaml?: boolean
  readonly force?: boolean
}

const INSTALLED_SCHEMA = 'node_modules/gantry/schema/gantry.schema.json'

export function register(program: Command, io: CliIo): void {
  program
    .command('init')
    .argument('[file]', 'where to write it (default: gantry.jsonc, or gantry.yaml with --yaml)')
    .description('Writes a commented configuration that runs as it is.')
    .option('--yaml', 'write YAML instead of JSON with comments')
    .option('-f, --force', 'replace a file that is there; it is kept with .bak at the end')
    .addHelpText('after', '\nExamples:\n  gantry init\n  gantry init ~/.config/gantry/gantry.yaml')
    .action(action(io, init))
}

async function init(asked: string | undefined, cli: Cli<InitOptions>): Promise<void> {
  const { cwd } = cli.io.places
  const file = resolve(
    cwd,
    asked ?? cli.options.config ?? (cli.options.yaml ? 'gantry.yaml' : 'gantry.jsonc'),
  )
  const isThere = existsSync(file)
  const rival = asked === undefined && cli.options.config === undefined ? rivalOf(file, cli.io) : undefined
  if (rival !== undefined && !cli.options.force) {
    throw new CliError(`${shorten(rival, cwd)} is here already, and only one of two is used`, {
      fix: 'Go on with that one, or name the new file: gantry init FILE',
    })
  }
  if (isThere && !cli.options.force) {
    throw new CliError(`${shorten(file, cwd)} is there already`, {
      fix: 'Choose another name, or replace it with --force (the old one is kept)',
    })
  }
  const format = cli.options.yaml ? 'yaml' : formatOf(file, '{')
  const schema = existsSync(join(dirname(file), INSTALLED_SCHEMA)) ? `./${INSTALLED_SCHEMA}` : undefined
  const backup = isThere ? `${file}.bak` : undefined
  const text = starterConfig(format, schema)
  await writeFileAtomic(file, text, { backup, mode: 0o644 })
  await acceptText(file, text, cli.io.places).catch(() => {})
  const importable = await countImportable(cli.io, file)
  if (cli.json) cli.printJson({ ok: true, file, backup, importable })
  else printNextSteps(shorten(file, cwd), importable, cli)
}

/** Another configuration in this folder: commands would find one of the two, and who knows which. */
function rivalOf(file: string, { places }: CliIo): string | undefined {
  const found = findConfig({ ...places, env: {} })
  return found !== undefined && found !== file && dirname(found) === dirname(file) ? found : undefined
}

/** How many servers other clients have that this file could take over. */
async function countImportable(io: CliIo, to: string): Promise<number> {
  const result = await planImport(io.places, { to })
  return result.ok ? result.plan.items.filter((item) => item.outcome === 'added').length : 0
}

function printNextSteps(name: string, importable: number, cli: Cli): void {
  const { paint } = cli
  const found =
    importable === 1 ? 'the server that another client has' : `${importable} servers that other clients have`
  cli.say(`${paint.green('✓')} ${name} is written. What next:`)
  if (importable > 0) cli.say(`  gantry import --to ${name}   ${paint.dim(`take over ${found}`)}`)
  cli.say(`  gantry check ${name}   ${paint.dim('after every change')}`)
  cli.say(`  gantry serve --config ${name}   ${paint.dim('start the gateway')}`)
}
