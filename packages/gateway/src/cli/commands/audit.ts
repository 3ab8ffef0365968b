import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { readSpan, suggest, type AuditModel } from '../../model/index.ts'
import type { AuditQuery, FoundEvent } from '../../audit/index.ts'
import { action, type Cli } from '../cli.ts'
import { CliError, CliExit } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { loadTrusted } from '../load-trusted.ts'
import { noConfig } from '../accept-config.ts'
import { plainText } from '../plain-text.ts'

interface AuditOptions extends GlobalOptions {
  readonly folder?: string
  readonly key?: string
  readonly who?: string
  readonly target?: string
  readonly object?: string
  readonly operation?: string
  readonly outcome?: string
  readonly rule?: string
  readonly text?: string
  readonly since?: string
  readonly until?: string
  readonly limit?: string
  readonly follow?: boolean
}

export function register(program: Command, io: CliIo): void {
  const audit = program
    .command('audit')
    .description('Looks into the audit trail: who did what. Works while gateways run, and without one.')
  const folder = ['--folder <folder>', 'the folder of the trail, instead of the configured folder'] as const
  audit
    .command('verify')
    .description('Checks that no event was changed, taken out, put in or moved.')
    .option(...folder)
    .option('--key <key>', 'the public key that must have signed, instead of the key that the trail names')
    .addHelpText('after', '\nExit codes: 0 all is well, 1 something is wrong.')
    .action(action(io, (cli: Cli<AuditOptions>) => inFolder(cli, verify)))
  audit
    .command('search')
    .description('Prints the events that are wanted, the newest last.')
    .option(...folder)
    .option('--who <text>', 'part of the subject, the client or the address')
    .option('--target <name>', 'the target')
    .option('--object <text>', 'part of the name of a tool, prompt or resource')
    .option('--operation <name>', 'the method, or sign-in, target/start, configuration/change…')
    .option('--outcome <word>', 'such as denied, waiting, ok, tool-error, error')
    .option('--rule <name>', 'the rule that decided')
    .option('--text <text>', 'any part of the event')
    .option('--since <time>', 'a time, or how long ago: 2h, 7d')
    .option('--until <time>', 'the same')
    .option('--limit <number>', 'how many at most', '100')
    .action(action(io, (cli: Cli<AuditOptions>) => inFolder(cli, search)))
  audit
    .command('tail')
    .description('Prints the last events and, with --follow, new events.')
    .option(...folder)
    .option('--limit <number>', 'how many at first', '20')
    .option('-f, --follow', 'go on until Ctrl+C')
    .action(action(io, (cli: Cli<AuditOptions>) => inFolder(cli, tail)))
}

type Run = (folder: string, cli: Cli<AuditOptions>) => Promise<void>

async function inFolder(cli: Cli<AuditOptions>, run: Run): Promise<void> {
  const folder = cli.options.folder ?? (await configured(cli)).folder
  if (!existsSync(folder)) {
    throw new CliError(`There is no audit trail at ${folder}`, {
      fix: 'A gateway whose configuration has "audit" makes it when it starts',
    })
  }
  await run(folder, cli)
}

async function configured(cli: Cli<AuditOptions>): Promise<AuditModel> {
  const config = await loadTrusted(cli)
  if (!config) throw noConfig(cli.io.places)
  const { audit } = config.loaded.model
  if (audit) return audit
  throw new CliError('This configuration keeps no audit trail', {
    fix: 'Add "audit": {} to it, or name a trail with --folder',
  })
}

async function verify(folder: string, cli: Cli<AuditOptions>): Promise<void> {
  const { verifyTrail } = await import('../../audit/index.ts')
  const verified = await verifyTrail(folder, { publicKey: cli.options.key })
  const { ok, chains, faults } = verified
  if (cli.json) cli.printJson(verified)
  else {
    const { paint } = cli
    const rows = chains.map(({ chain, events, signed, isClosed, isTorn }) => [
      chain,
      String(events),
      String(signed),
      isTorn ? 'ends in the middle of an event' : isClosed ? 'closed' : 'open: still written, or killed',
    ])
    const head = ['chain', 'events', 'signed', 'end'].map(paint.dim)
    cli.table([head, ...rows])
    for (const { file, line, problem } of faults) {
      const place = line === undefined ? file : `${file}:${line}`
      cli.say(`${paint.red('✗')} ${plainText(place)}: ${plainText(problem)}`)
    }
    const events = chains.reduce((sum, chain) => sum + chain.events, 0)
    if (ok) cli.say(`${paint.green('✓')} ${events} events, and none was touched`)
  }
  if (!ok) throw new CliExit(1)
}

async function search(folder: string, cli: Cli<AuditOptions>): Promise<void> {
  const { searchTrail } = await import('../../audit/index.ts')
  const { who, target, object, operation, outcome, rule, text } = cli.options
  const query: AuditQuery = {
    ...{ who, target, object, operation, outcome, rule, text },
    since: timeOf(cli.options.since),
    until: timeOf(cli.options.until),
  }
  const found = await searchTrail(folder, query, countOf(cli.options.limit))
  if (found.length === 0) {
    const close = outcome === undefined ? undefined : suggest(outcome, OUTCOMES)
    const hint = close === undefined || close === outcome ? '' : `. Did you mean "--outcome ${close}"?`
    cli.note(`No event is like this${hint}`)
  }
  for (const event of found.reverse()) print(event, cli)
}

/** How requests end. */
const OUTCOMES = ['ok', 'denied', 'waiting', 'error', 'tool-error', 'cancelled', 'input-required', 'task']

async function tail(folder: string, cli: Cli<AuditOptions>): Promise<void> {
  const { searchTrail, followTrail } = await import('../../audit/index.ts')
  const stop = new AbortController()
  const events = cli.options.follow ? await followTrail(folder, stop.signal) : undefined
  const last = await searchTrail(folder, {}, countOf(cli.options.limit))
  for (const event of last.reverse()) print(event, cli)
  if (!events) return
  const end = (): void => stop.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  const shown = new Set(last.map(({ id }) => id))
  for await (const event of events) if (!shown.delete(event.id)) print(event, cli)
}

function print(found: FoundEvent, cli: Cli<AuditOptions>): void {
  if (cli.json) return cli.say(JSON.stringify(found.event))
  const { paint } = cli
  const { at, who, client, from, operation, target, object, outcome, rule, detail, durationMs } = found
  const what = [operation, target, object].filter((part) => part !== undefined).join(' ')
  const isBad = !['ok', 'allowed', 'ready', 'input-required', 'task'].includes(outcome)
  const how = isBad ? paint.red(outcome) : outcome
  const more = [
    rule === undefined ? undefined : `by ${rule}`,
    durationMs === undefined ? undefined : `${durationMs} ms`,
    detail,
  ].filter((part) => part !== undefined)
  const by = who === '' ? (client ?? from) : who
  cli.say(
    `${paint.dim(new Date(at).toISOString())} ${plainText(by)} ${plainText(what)} ${how} ${plainText(more.join(', '))}`.trimEnd(),
  )
}

function countOf(text: string | undefined): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new CliError(`"${text}" is not a number of events`, {
    exitCode: 2,
    fix: 'Give a whole number from 1 on.',
  })
}

/** A moment, or how long ago. */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ago = /^\d/.test(text) ? readSpan(text) : undefined
  const time = ago === undefined ? Date.parse(text) : Date.now() - ago
  if (Number.isFinite(time)) return time
  throw new CliError(`"${text}" is not a time`, { exitCode: 2, fix: 'Write 2h, 7d or 2026-11-18T09:00.' })
}
