import { Option, type Command } from 'commander'
import type { CatalogEntry, CatalogList, EntryKind } from '../../admin/contract.ts'
import { action, type Cli } from '../cli.ts'
import { CliError, CliExit } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import type { Paint } from '../paint.ts'
import { oneLine, plainText } from '../plain-text.ts'

interface ToolsOptions extends GlobalOptions {
  readonly kind: string
  readonly all?: boolean
  readonly long?: boolean
}

const KINDS: readonly EntryKind[] = ['tool', 'prompt', 'resource', 'template']

export function register(program: Command, io: CliIo): void {
  program
    .command('tools')
    .argument('[target]', 'only those of this target')
    .description('Lists the tools of all targets under the names that clients use.')
    .addOption(
      new Option('-k, --kind <kind>', 'what to list').choices([...KINDS, 'all']).default('tool', 'tool'),
    )
    .option('--all', 'also entries that are hidden from clients, and why they are hidden')
    .option('--long', 'whole descriptions')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry tools\n  gantry tools github --all\n  gantry tools --kind all --json',
    )
    .action(action(io, tools))
}

async function tools(target: string | undefined, cli: Cli<ToolsOptions>): Promise<void> {
  const kinds = KINDS.filter((kind) => kind === cli.options.kind || cli.options.kind === 'all')
  const catalog = await withAdmin(cli, ({ api }) =>
    cli.progress('Asking the targets', () => api.call('catalog', { query: { refresh: true } })),
  )
  if (target !== undefined && !catalog.targets.some(({ name }) => name === target)) {
    throw new CliError(`There is no target "${target}"`, {
      exitCode: 2,
      fix: `Targets: ${catalog.targets.map(({ name }) => name).join(', ') || 'none'}. Those that are off do not count.`,
    })
  }
  const wanted = catalog.entries.filter(
    (entry) =>
      kinds.includes(entry.kind) &&
      (cli.options.all || entry.visible) &&
      (target === undefined || entry.target === target),
  )
  const targets = catalog.targets.filter(({ name }) => target === undefined || name === target)
  if (cli.json) cli.printJson({ entries: wanted, targets })
  else print(wanted, { ...catalog, targets }, cli)
  if (targets.some(({ gap }) => gap?.state === 'missing')) throw new CliExit(1)
}

function print(entries: readonly CatalogEntry[], { targets }: CatalogList, cli: Cli<ToolsOptions>): void {
  const { paint } = cli
  const width = cli.io.stdout.columns ?? 120
  if (cli.options.long) {
    for (const entry of entries) {
      cli.say(`${paint.bold(plainText(entry.key))}${noteOf(entry, paint)}`)
      cli.say(`${plainText(`  ${entry.description ?? ''}`, '  ')}\n`)
    }
  } else {
    const longest = Math.max(0, ...entries.map(({ key }) => plainText(key).length))
    const rows = entries.map((entry) => [
      paint.bold(plainText(entry.key)) + noteOf(entry, paint),
      paint.dim(oneLine(entry.description ?? entry.title ?? '', Math.max(20, width - longest - 4))),
    ])
    cli.table(rows)
  }
  const complain = cli.notePaint
  for (const { name, gap } of targets) {
    if (!gap) continue
    const what = gap.state === 'missing' ? complain.red('missing') : complain.yellow('stale')
    cli.note(`${what} ${plainText(name)}: ${plainText(gap.reason)}`)
    if (gap.state === 'missing') cli.note(`${complain.cyan('fix')}     gantry doctor ${plainText(name)}`)
  }
  if (entries.length === 0 && targets.every(({ gap }) => !gap)) cli.note('There are none.')
}

function noteOf({ visible, hiddenBy, stale }: CatalogEntry, paint: Paint): string {
  if (!visible) return paint.yellow(` (hidden by ${hiddenBy})`)
  return stale ? paint.yellow(' (stale)') : ''
}
