import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  acceptText,
  configFromValue,
  findConfig,
  isAcceptedText,
  loadConfig,
  ownFolder,
  parseConfig,
  type Loaded,
  type RawConfig,
  type ServerOverrides,
} from '../config/index.ts'
import { describeTarget, isOpenToAll, isOwn, readSmallFile } from '../model/index.ts'
import { acceptConfig, noConfig } from './accept-config.ts'
import type { Cli } from './cli.ts'
import { CliError } from './cli-error.ts'
import type { CliIo } from './cli-io.ts'
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

/**
 * Loads the configuration that was named or found. Configurations run commands, so the user must accept a found
 * configuration once.
 */
export async function loadTrusted(
  cli: Cli,
  overrides: ServerOverrides = {},
): Promise<TrustedConfig | undefined> {
  const { places } = cli.io
  const file = findConfig(places, cli.options.config)
  if (file === undefined) return undefined
  const text = await readSmallFile(file).catch(() => undefined)
  // This text is trusted. The file is not read a second time.
  const result = await (text === undefined
    ? loadConfig(file, { places, overrides })
    : parseConfig(text, { file, places, overrides }))
  const loaded = await acceptConfig(result, file, cli)
  if (text !== undefined) await requireTrust({ file, text, loaded }, cli)
  const isAccepted = isNamed(cli) ? undefined : (later: string) => isTrusted(file, later, cli.io)
  return { file, loaded, isAccepted }
}

function isNamed({ options, io }: Cli): boolean {
  return options.config !== undefined || Boolean(io.places.env.GANTRY_CONFIG)
}

async function isTrusted(file: string, text: string, io: CliIo): Promise<boolean> {
  return (await isAcceptedText(file, text, io.places)) || isUsersOwn(file, io)
}

interface Untrusted {
  readonly file: string
  readonly text: string
  readonly loaded: Loaded
}

async function requireTrust({ file, text, loaded }: Untrusted, cli: Cli): Promise<void> {
  const { io } = cli
  if (!isNamed(cli) && !cli.options.yes) {
    if (await isTrusted(file, text, io)) return
    if (!(await isConfirmed(file, loaded, cli))) throw notTrusted(file, io)
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

async function isConfirmed(file: string, { model }: Loaded, cli: Cli): Promise<boolean> {
  if (!cli.io.confirm || cli.json) return false
  const paint = cli.notePaint
  const name = shorten(file, cli.io.places.cwd)
  cli.note(`${paint.yellow('!')} ${name} is new here, or has changed. It would run:`)
  const rows = model.targets.map((target) => [
    `  ${plainText(target.name)}`,
    plainText(describeTarget(target)),
  ])
  for (const line of formatTable(rows)) cli.note(line)
  return cli.io.confirm(`Use ${name}? [y/N] `)
}

function notTrusted(file: string, { places }: CliIo): CliError {
  const name = shorten(file, places.cwd)
  return new CliError(`${name} was found here and never accepted; it can run any command`, {
    exitCode: 2,
    fix: `Look at it (gantry check ${name}), then name it with --config ${name}, or accept it with --yes.`,
  })
}

export async function planFromFile(cli: Cli<GatewayOptions>): Promise<GatewayPlan> {
  const { places } = cli.io
  const overrides = overridesOf(cli.options)
  const config = await loadTrusted(cli, overrides)
  if (!config) throw noConfig(places, 'or try "gantry serve --demo"')
  const { file, loaded, isAccepted } = config
  if (isOpenToAll(file)) {
    const paint = cli.notePaint
    const what = `Every user of this machine can change ${shorten(file, places.cwd)}, and so run programs as this user`
    cli.note(`${paint.yellow('!')} ${what}. Close it with: chmod o-w FILE`)
  }
  return {
    loaded,
    serves: shorten(file, places.cwd),
    source: { file, loaded, places, overrides, isAccepted },
    searchPort: false,
  }
}

/**
 * The plan of a gateway whose configuration the command makes itself. The console shows `shown`, which may leave out
 * secrets.
 */
export async function planFromValue(
  value: RawConfig,
  serves: string,
  cli: Cli<GatewayOptions>,
  shown: RawConfig = value,
): Promise<GatewayPlan> {
  const result = await configFromValue(value, {
    places: cli.io.places,
    overrides: overridesOf(cli.options),
  })
  return {
    loaded: await acceptConfig(result, serves, cli),
    serves,
    memoryConfig: JSON.stringify(shown, undefined, 2),
    searchPort: cli.options.port === undefined,
  }
}
