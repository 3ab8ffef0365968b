import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { readSpan, type AuditModel } from '../../model/index.ts'
import type { AuditQuery, FoundEvent } from '../../audit/index.ts'
import { CliError, CliExit } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { loadTrusted } from '../load-trusted.ts'
import { noConfig } from '../accept-config.ts'
import { plainText } from '../plain-text.ts'
import { formatTable } from '../table.ts'

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
  const folder = [
    '--folder <folder>',
    'the folder of the trail, instead of the one of the configuration',
  ] as const
  audit
    .command('verify')
    .description('Checks that no event was changed, taken out, put in or moved.')
    .option(...folder)
    .option('--key <key>', 'the public key that must have signed, instead of the one that the trail names')
    .addHelpText('after', '\nExit codes: 0 all is well, 1 something is wrong.')
    .action((_: unknown, self: Command) => inFolder(self, io, verify))
  audit
    .command('search')
    .description('Prints the events that are wanted, the newest last.')
    .option(...folder)
    .option('--who <text>', 'part of the subject, the client or the address')
    .option('--target <name>', 'the target')
    .option('--object <text>', 'part of the name of a tool, prompt or resource')
    .option('--operation <name>', 'the method, or sign-in, target/start, configuration/change…')
    .option('--outcome <word>', 'such as denied, ok, tool-error, error')
    .option('--rule <name>', 'the rule that decided')
    .option('--text <text>', 'any part of the event')
    .option('--since <time>', 'a time, or how long ago: 2h, 7d')
    .option('--until <time>', 'the same')
    .option('--limit <number>', 'how many at most', '100')
    .action((_: unknown, self: Command) => inFolder(self, io, search))
  audit
    .command('tail')
    .description('Prints the last events and, with --follow, those that come.')
    .option(...folder)
    .option('--limit <number>', 'how many at first', '20')
    .option('-f, --follow', 'go on until Ctrl+C')
    .action((_: unknown, self: Command) => inFolder(self, io, tail))
}

type Run = (folder: string, options: AuditOptions, io: CliIo) => Promise<void>

async function inFolder(self: Command, io: CliIo, run: Run): Promise<void> {
  const options = self.optsWithGlobals<AuditOptions>()
  const folder = options.folder ?? (await configured(options, io)).folder
  if (!existsSync(folder)) {
    throw new CliError(`There is no audit trail at ${folder}`, {
      fix: 'A gateway whose configuration has "audit" makes it when it starts',
    })
  }
  await run(folder, options, io)
}

async function configured(options: AuditOptions, io: CliIo): Promise<AuditModel> {
  const config = await loadTrusted(options, io)
  if (!config) throw noConfig(io.places)
  const { audit } = config.loaded.model
  if (audit) return audit
  throw new CliError('This configuration keeps no audit trail', {
    fix: 'Add "audit": {} to it, or name a trail with --folder',
  })
}

async function verify(folder: string, options: AuditOptions, io: CliIo): Promise<void> {
  const { verifyTrail } = await import('../../audit/index.ts')
  const verified = await verifyTrail(folder, { publicKey: options.key })
  const { ok, chains, faults } = verified
  if (options.json) printJson(io, verified)
  else {
    const paint = paintFor(io.stdout, io, options)
    const rows = chains.map(({ chain, events, signed, isClosed, isTorn }) => [
      chain,
      String(events),
      String(signed),
      isTorn ? 'ends in the middle of an event' : isClosed ? 'closed' : 'open: still written, or killed',
    ])
    const head = ['chain', 'events', 'signed', 'end'].map(paint.dim)
    for (const line of formatTable([head, ...rows])) printLine(io.stdout, line)
    for (const { file, line, problem } of faults) {
      const place = line === undefined ? file : `${file}:${line}`
      printLine(io.stdout, `${paint.red('✗')} ${plainText(place)}: ${plainText(problem)}`)
    }
    const events = chains.reduce((sum, chain) => sum + chain.events, 0)
    if (ok) printLine(io.stdout, `${paint.green('✓')} ${events} events, and none was touched`)
  }
  if (!ok) throw new CliExit(1)
}

async function search(folder: string, options: AuditOptions, io: CliIo): Promise<void> {
  const { searchTrail } = await import('../../audit/index.ts')
  const { who, target, object, operation, outcome, rule, text } = options
  const query: AuditQuery = {
    ...{ who, target, object, operation, outcome, rule, text },
    since: timeOf(options.since),
    until: timeOf(options.until),
  }
  const found = await searchTrail(folder, query, countOf(options.limit))
  for (const event of found.reverse()) print(event, options, io)
}

async function tail(folder: string, options: AuditOptions, io: CliIo): Promise<void> {
  const { searchTrail, followTrail } = await import('../../audit/index.ts')
  const stop = new AbortController()
  const events = options.follow ? await followTrail(folder, stop.signal) : undefined
  const last = await searchTrail(folder, {}, countOf(options.limit))
  for (const event of last.reverse()) print(event, options, io)
  if (!events) return
  const end = (): void => stop.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  const shown = new Set(last.map(({ id }) => id))
  for await (const event of events) if (!shown.delete(event.id)) print(event, options, io)
}

function print(found: FoundEvent, options: AuditOptions, io: CliIo): void {
  if (options.json) return printLine(io.stdout, JSON.stringify(found.event))
  const paint = paintFor(io.stdout, io, options)
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
  printLine(
    io.stdout,
    `${paint.dim(new Date(at).toISOString())} ${plainText(by)} ${plainText(what)} ${how} ${plainText(more.join(', '))}`.trimEnd(),
  )
}

function countOf(text: string | undefined): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new CliError(`"${text}" is no number of events`, {
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
  throw new CliError(`"${text}" is no time`, { exitCode: 2, fix: 'Write 2h, 7d or 2026-11-18T09:00.' })
}
