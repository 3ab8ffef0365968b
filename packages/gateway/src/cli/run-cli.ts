import { Command, CommanderError } from 'commander'
import { Cli } from './cli.ts'
import { CliError, CliExit, type ExitCode } from './cli-error.ts'
import type { CliIo } from './cli-io.ts'
import { type CommandEntry, COMMANDS } from './commands.ts'
import { hideCredentials } from '../model/index.ts'
import { hasColours } from './paint.ts'
import { plainText } from './plain-text.ts'
import { readVersion } from '../model/read-version.ts'

/** The indent of further lines of a text. */
const BELOW = ' '.repeat(6)

const EPILOGUE = `
Exit codes:
  0  it worked
  1  it did not
  2  it was asked for wrongly, or the configuration is not usable

Colours are used on terminals only; NO_COLOR switches them off.
More about one command: gantry help COMMAND`

/** Runs one command line and says how it ended. Nothing is thrown and the process is left alone. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const program = createProgram(io)
  try {
    await addCommands(program, argv, io)
    await program.parseAsync([...argv], { from: 'user' })
    return 0
  } catch (error) {
    return explain(error, argv, io)
  }
}

function createProgram(io: CliIo): Command {
  const program = new Command('gantry')
  program
    .description('One endpoint in front of many MCP servers.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain the command')
    .option(
      '-c, --config <file>',
      'configuration file (default: gantry.{yaml,yml,jsonc,json} here, then your own)',
    )
    .option('-y, --yes', 'use the configuration that is found here without asking')
    .option('--json', 'print the result as JSON')
    .option('--no-color', 'no colours')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHasColors: () => hasColours(io.stdout, io.places.env),
      getErrHasColors: () => hasColours(io.stderr, io.places.env),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .showHelpAfterError('Add --help to see what it takes.')
    .exitOverride()
    .addHelpText('after', EPILOGUE)
  return program
}

/**
 * Registers the command that the arguments name. When they name none, registers all commands, with name and summary
 * only.
 */
async function addCommands(program: Command, argv: readonly string[], io: CliIo): Promise<void> {
  const entry = findEntry(argv)
  if (entry) {
    const { register } = await entry.load()
    register(program, io)
    return
  }
  for (const { name, summary } of COMMANDS) program.command(name).description(summary).allowUnknownOption()
}

function findEntry(argv: readonly string[]): CommandEntry | undefined {
  const words = argv.filter(
    (word, index) => !word.startsWith('-') && !['-c', '--config'].includes(argv[index - 1] ?? ''),
  )
  const name = words[0] === 'help' ? words[1] : words[0]
  return COMMANDS.find((entry) => entry.name === name)
}

function explain(error: unknown, argv: readonly string[], io: CliIo): ExitCode {
  if (error instanceof CliExit) return error.exitCode
  const cli = new Cli({ json: argv.includes('--json'), color: !argv.includes('--no-color') }, io)
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    // It has printed its message already, for people.
    const message = error.message.replace(/^error: /, '')
    if (cli.json) cli.printJson({ ok: false, error: { message } })
    return 2
  }
  const { message, fix, exitCode } = toCliError(error)
  if (cli.json) {
    cli.printJson({ ok: false, error: { message, fix } })
    return exitCode
  }
  const { notePaint: paint } = cli
  cli.note(`${paint.red('error')} ${plainText(message, BELOW)}`)
  if (fix !== undefined) cli.note(`${paint.cyan('fix')}   ${plainText(fix, BELOW)}`)
  if (io.places.env.DEBUG && error instanceof Error)
    cli.note(paint.dim(plainText(hideCredentials(error.stack ?? ''), BELOW)))
  return exitCode
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new CliError(hideCredentials(message), { fix: 'Set DEBUG=1 to see where this comes from' })
}
