import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  acceptText,
  findConfig,
  isAcceptedText,
  loadConfig,
  ownFolder,
  parseConfig,
  type Loaded,
  type ServerOverrides,
} from '../config/index.ts'
import { describeTarget, isOpenToAll, isOwn, readSmallFile } from '../model/index.ts'
import { acceptConfig, noConfig } from './accept-config.ts'
import { CliError } from './cli-error.ts'
import { paintFor, printLine, type CliIo, type GlobalOptions } from './cli-io.ts'
import { shorten } from './format-problem.ts'
import { plainText } from './plain-text.ts'
import { formatTable } from './table.ts'
import { overridesOf, type GatewayOptions, type GatewayPlan } from './run-gateway.ts'

export interface TrustedConfig {
  readonly file: string
  readonly loaded: Loaded
  /** For a file that was found: whether a later text of it may be used without a question. */
  readonly isAccepted: ((text: string) => Promise<boolean>) | undefined
}

/** Loads the named or found configuration. It runs commands, so the user must accept a found one once. */
export async function loadTrusted(
  options: GlobalOptions,
  io: CliIo,
  overrides: ServerOverrides = {},
): Promise<TrustedConfig | undefined> {
  const { places } = io
  const file = findConfig(places, options.config)
  if (file === undefined) return undefined
  const text = await readSmallFile(file).catch(() => undefined)
  // What is trusted is this text: the file is not read a second time.
  const result = await (text === undefined
    ? loadConfig(file, { places, overrides })
    : parseConfig(text, { file, places, overrides }))
  const loaded = await acceptConfig(result, file, options, io)
  if (text !== undefined) await requireTrust({ file, text, loaded, options, io })
  const isAccepted = isNamed(options, io) ? undefined : (later: string) => isTrusted(file, later, io)
  return { file, loaded, isAccepted }
}

function isNamed({ config }: GlobalOptions, { places }: CliIo): boolean {
  return config !== undefined || Boolean(places.env.GANTRY_CONFIG)
}

async function isTrusted(file: string, text: string, io: CliIo): Promise<boolean> {
  return (await isAcceptedText(file, text, io.places)) || isUsersOwn(file, io)
}

interface Untrusted {
  readonly file: string
  readonly text: string
  readonly loaded: Loaded
  readonly options: GlobalOptions
  readonly io: CliIo
}

async function requireTrust({ file, text, loaded, options, io }: Untrusted): Promise<void> {
  if (!isNamed(options, io) && !options.yes) {
    if (await isTrusted(file, text, io)) return
    if (!(await isConfirmed(file, loaded, options, io))) throw notTrusted(file, io)
  }
  // Not being able to remember it costs a question the next time.
  await acceptText(file, text, io.places).catch(() => {})
}

/** The configuration in the user's settings, unless another user owns it or can replace it. */
async function isUsersOwn(file: string, { places }: CliIo): Promise<boolean> {
  if (dirname(file) !== ownFolder(places) || ownFolder(places) === resolve(places.cwd)) return false
  // A link is as safe as the place that it leads to.
  const real = await realpath(file).catch(() => file)
  const isClosed = [file, dirname(file), dirname(real)].every((place) => !isOpenToAll(place))
  const facts = await stat(file).catch(() => undefined)
  return facts !== undefined && isOwn(facts.uid) && isClosed
}

async function isConfirmed(
  file: string,
  { model }: Loaded,
  options: GlobalOptions,
  io: CliIo,
): Promise<boolean> {
  if (!io.confirm || options.json) return false
  const paint = paintFor(io.stderr, io, options)
  const name = shorten(file, io.places.cwd)
  printLine(io.stderr, `${paint.yellow('!')} ${name} is new here, or has changed. It would run:`)
  const rows = model.targets.map((target) => [
    `  ${plainText(target.name)}`,
    plainText(describeTarget(target)),
  ])
  for (const line of formatTable(rows)) printLine(io.stderr, line)
  return io.confirm(`Use ${name}? [y/N] `)
}

function notTrusted(file: string, { places }: CliIo): CliError {
  const name = shorten(file, places.cwd)
  return new CliError(`${name} was found here and never accepted; it can run any command`, {
    exitCode: 2,
    fix: `Look at it (gantry check ${name}), then name it with --config ${name}, or accept it with --yes.`,
  })
}

export async function planFromFile(options: GatewayOptions, io: CliIo): Promise<GatewayPlan> {
  const { places } = io
  const overrides = overridesOf(options)
  const config = await loadTrusted(options, io, overrides)
  if (!config) throw noConfig(places, 'or try "gantry serve --demo"')
  const { file, loaded, isAccepted } = config
  if (isOpenToAll(file)) {
    const paint = paintFor(io.stderr, io, options)
    const what = `Every user of this machine can change ${shorten(file, places.cwd)}, and so run programs as this user`
    printLine(io.stderr, `${paint.yellow('!')} ${what}. Close it with: chmod o-w FILE`)
  }
  return {
    loaded,
    serves: shorten(file, places.cwd),
    source: { file, loaded, places, overrides, isAccepted },
    searchPort: false,
  }
}
