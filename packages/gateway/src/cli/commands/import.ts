import { realpathSync } from 'node:fs'
import { Argument, type Command } from 'commander'
import { formatOf, maskSecrets } from '../../config/index.ts'
import {
  applyChanges,
  CLIENTS,
  type ClientId,
  type FileChange,
  findClient,
  type ImportPlan,
  planImport,
  type Undone,
  undoLatest,
} from '../../config/import/index.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { shorten } from '../format-problem.ts'
import { createPaint, type Paint } from '../paint.ts'
import { formatTable } from '../table.ts'

interface ImportCommandOptions extends GlobalOptions {
  readonly from?: string
  readonly to?: string
  readonly apply?: boolean
  readonly point?: boolean
  readonly pointProjects?: boolean
  readonly undo?: boolean
}

export function register(program: Command, io: CliIo): void {
  const clients = new Argument('[client...]', 'whose servers to take over (default: everyone’s)').choices(
    CLIENTS.map((client) => client.id),
  )
  program
    .command('import')
    .addArgument(clients)
    .description('Takes over the servers of other MCP clients. Shows what it would do; --apply does it.')
    .option('--from <file>', 'read this file, whatever client it is of')
    .option('--to <file>', 'configuration to add to (default: the one in use, else your own)')
    .option('--apply', 'write the changes; copies of the files are kept')
    .option('--point', 'also make the clients use the gateway instead of the servers')
    .option('--point-projects', 'the same for files of the current project, which others may share')
    .option('--undo', 'take back what the last --apply did')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry import\n  gantry import cursor vscode --apply --point\n  gantry import --undo',
    )
    .action(
      action(io, (names: ClientId[], cli: Cli<ImportCommandOptions>) =>
        cli.options.undo ? undo(cli) : runImport(names, cli),
      ),
    )
}

async function runImport(clients: ClientId[], cli: Cli<ImportCommandOptions>): Promise<void> {
  const { from, apply } = cli.options
  const to = cli.options.to ?? cli.options.config
  const point = cli.options.point || cli.options.pointProjects
  const asked = { clients, from, to, point, pointProjects: cli.options.pointProjects, launcher: launcher() }
  const result = await cli.progress('Reading what clients have', () => planImport(cli.io.places, asked))
  if (!result.ok) throw new CliError(result.reason, { exitCode: 2 })
  const { plan } = result
  if (from !== undefined && plan.sources.length === 0) throw new CliError(plan.notes[0]!, { exitCode: 2 })
  const isWritten = apply === true && plan.changes.length > 0
  const backup = isWritten ? await applyChanges(plan.changes, cli.io.places) : undefined
  if (cli.json) cli.printJson(await toJson(plan, backup))
  else await print(plan, { backup, apply: apply === true, point: point === true }, cli)
}

/** The program that runs now, by its full path; undefined for a copy of npx, which will be deleted. */
function launcher(): [string, ...string[]] | undefined {
  const script = process.argv[1] === undefined ? undefined : resolvedPath(process.argv[1])
  if (script === undefined || !/[\\/]gantry\.[cm]?[jt]s$/.test(script)) return undefined
  return /[\\/]_npx[\\/]/.test(script) ? undefined : [process.execPath, script]
}

function resolvedPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

async function undo(cli: Cli<ImportCommandOptions>): Promise<void> {
  const undone = await undoLatest(cli.io.places)
  if (!undone) throw new CliError('There is no import to take back')
  if (cli.json) return cli.printJson({ ok: true, undone })
  for (const { file, outcome } of undone) cli.say(`${file}: ${UNDONE[outcome]}`)
}

const UNDONE: { readonly [outcome in Undone['outcome']]: string } = {
  restored: 'as it was before',
  removed: 'removed, since the import had made it',
  merged: 'changed since by its client; the servers are back and its other changes are kept',
  kept: 'changed since, so it is left as it is',
  unchanged: 'as it was before, already',
}

interface Done {
  readonly backup: string | undefined
  readonly apply: boolean
  readonly point: boolean
}

async function print(plan: ImportPlan, done: Done, cli: Cli): Promise<void> {
  const { paint } = cli
  const { cwd } = cli.io.places
  const say = (text = '') => cli.say(text)
  for (const source of plan.sources) {
    const title = paint.bold(findClient(source.client)?.title ?? source.client)
    say(`${title} ${paint.dim(shorten(source.file, cwd))}`)
    if (source.error !== undefined) say(`  ${paint.red('✗')} cannot be read: ${source.error}`)
    for (const line of describeItems(plan, source.file, paint)) say(`  ${line}`)
  }
  if (plan.sources.length === 0) say('No client has a configuration here.')
  for (const note of plan.notes) say(`${paint.yellow('note')} ${note}`)
  for (const change of plan.changes) {
    say()
    for (const line of await diffOf(change, shorten(change.file, cwd), paint)) say(line)
  }
  say()
  say(conclude(plan, done, cwd, paint))
}

function describeItems(plan: ImportPlan, file: string, paint: Paint): string[] {
  const items = plan.items.filter((item) => item.file === file)
  const marks = { added: paint.green('+'), same: paint.dim('='), skipped: paint.yellow('-') }
  const rows = items.map((item) => {
    const name = item.as === undefined || item.as === item.name ? item.name : `${item.name} → ${item.as}`
    return [`${marks[item.outcome]} ${name}`, paint.dim(item.reason ?? '')]
  })
  return formatTable(rows).flatMap((line, index) => [
    line,
    ...items[index]!.notes.map((note) => `    ${paint.yellow('note')} ${note}`),
  ])
}

async function diffOf(change: FileChange, name: string, paint: Paint): Promise<string[]> {
  const format = formatOf(change.file, change.after)
  const before = change.before === undefined ? undefined : await maskSecrets(change.before, format)
  return formatDiff(name, before, await maskSecrets(change.after, format), paint)
}

function conclude(plan: ImportPlan, { backup, apply, point }: Done, cwd: string, paint: Paint): string {
  const to = shorten(plan.to, cwd)
  if (plan.changes.length === 0) return `Nothing to do: ${to} has it all.`
  if (!apply) return `Nothing is written yet. ${paint.bold('Add --apply')} to write ${countFiles(plan)}.`
  const start = point ? `\nStart the gateway with: gantry serve --config ${to}` : ''
  return `${paint.green('✓')} Wrote ${countFiles(plan)}. Copies are in ${backup}; "gantry import --undo" takes it back.${start}`
}

function countFiles({ changes }: ImportPlan): string {
  return changes.length === 1 ? 'this file' : `these ${changes.length} files`
}

async function toJson(plan: ImportPlan, backup: string | undefined): Promise<object> {
  const paint = createPaint(false)
  return {
    ok: true,
    to: plan.to,
    applied: backup !== undefined,
    backup,
    sources: plan.sources.map(({ client, file, scope, error }) => ({ client, file, scope, error })),
    servers: plan.items.map(({ list, ...item }) => ({ ...item, path: list.path })),
    changes: await Promise.all(
      plan.changes.map(async (change) => ({
        file: change.file,
        role: change.role,
        diff: (await diffOf(change, change.file, paint)).join('\n'),
      })),
    ),
    notes: plan.notes,
  }
}

/** The lines that differ, with three around them, as `diff -u` prints them. Mask secrets before. */
async function formatDiff(
  name: string,
  before: string | undefined,
  after: string,
  paint: Paint,
): Promise<string[]> {
  const { structuredPatch } = await import('diff')
  const { hunks } = structuredPatch(name, name, before ?? '', after, undefined, undefined, { context: 3 })
  const heading = before === undefined ? `${name} (new)` : name
  const body = hunks.flatMap((hunk) => [
    paint.cyan(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`),
    ...hunk.lines.filter((line) => !line.startsWith('\\')).map((line) => colourLine(line, paint)),
  ])
  return [paint.bold(heading), ...body]
}

function colourLine(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint.green(line)
  return line.startsWith('-') ? paint.red(line) : line
}
