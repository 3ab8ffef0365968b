import type { Command } from 'commander'
import { loadConfig, type Problem } from '../../config/index.ts'
import { countOf } from '../../admin/contract.ts'
import { printProblems, requireConfig } from '../accept-config.ts'
import { action, type Cli } from '../cli.ts'
import { CliExit } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { plainText } from '../plain-text.ts'

export function register(program: Command, io: CliIo): void {
  const policy = program.command('policy').description('Works with the rules of a configuration.')
  policy
    .command('test')
    .argument('[file]', 'the configuration to test; by default the configuration that would be used')
    .description('Runs the tests under "policy.tests". Nothing is started.')
    .addHelpText(
      'after',
      '\nExit codes: 0 all tests pass, 1 a test fails, 2 the configuration cannot be used.\n\nExamples:\n  gantry policy test\n  gantry policy test team.yaml --json',
    )
    .action(action(io, test))
}

async function test(asked: string | undefined, cli: Cli): Promise<void> {
  const file = requireConfig(cli.io, asked ?? cli.options.config)
  const result = await loadConfig(file, { places: cli.io.places })
  const problems = result.ok ? result.warnings : result.problems
  const isAboutTests = ({ path }: Problem): boolean => path.startsWith('policy.tests')
  const errors = problems.filter(({ severity, code }) => severity === 'error' && code !== 'failed-test')
  const warnings = problems.filter((one) => one.severity === 'warning' && isAboutTests(one))
  const { tests } = result
  const failed = tests.filter(({ passed }) => !passed).length
  if (cli.json) cli.printJson({ ok: result.ok, file, tests, problems })
  else {
    const { paint } = cli
    await printProblems([...errors, ...warnings], cli, { file, stream: cli.io.stdout })
    for (const { name, passed, expected, rule, decided, by } of tests) {
      const of = rule === undefined ? '' : ` by the rule "${rule}"`
      const mark = passed ? paint.green('✓') : paint.red('✗')
      const words = passed
        ? paint.dim(`${decided} ${plainText(by)}`)
        : `${decided} ${plainText(by)}, expected ${expected}${plainText(of)}`
      cli.say(`${mark} ${plainText(name)}: ${words}`)
    }
    const total = countOf(tests.length, 'test')
    const none = errors.length > 0 ? 'No test was run' : 'There are no tests under "policy.tests"'
    if (tests.length === 0) cli.say(none)
    else cli.say(failed > 0 ? `${total}, ${failed} failed` : total)
  }
  if (errors.length > 0) throw new CliExit(2)
  if (failed > 0) throw new CliExit(1)
}
