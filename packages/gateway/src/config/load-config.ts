import { dirname, resolve } from 'node:path'
import { isOpenToAll, type RawConfig, readSmallFile, type GatewayModel } from '../model/index.ts'
import { compileConfig } from './compile/compile-config.ts'
import { preparePatterns } from './compile/compile-results.ts'
import { CompileContext } from './compile/compile-context.ts'
import { compileConditions, compileExpressions } from './compile/compile-conditions.ts'
import { fillIn } from './compile/fill-in.ts'
import type { ServerOverrides } from './compile/compile-server.ts'
import type { PolicyTestResult } from './compile/policy-tests.ts'
import type { Problem } from './problem.ts'
import { checkAgainstSchema } from './compile/schema.ts'
import { explainViolations } from './compile/schema-problems.ts'
import { parseSource } from './document/parse-source.ts'
import { type ConfigFormat, formatOf } from './document/source-document.ts'
import { currentPlaces, type UserPlaces } from './user-places.ts'

export interface LoadOptions {
  readonly places?: UserPlaces | undefined
  readonly overrides?: ServerOverrides | undefined
  /** Whether the user has accepted this text. Absent for a file that was named: it is trusted, whatever it says. */
  readonly isAccepted?: ((text: string) => Promise<boolean>) | undefined
}

export interface Loaded {
  readonly ok: true
  readonly model: GatewayModel
  readonly warnings: readonly Problem[]
  /** Other files that the configuration depends on, including files that do not exist yet. */
  readonly dependencies: readonly string[]
  /** The tests of its policy. */
  readonly tests: readonly PolicyTestResult[]
}

export interface NotLoaded {
  readonly ok: false
  /** At least one error; warnings too. */
  readonly problems: readonly Problem[]
  readonly dependencies: readonly string[]
  readonly tests: readonly PolicyTestResult[]
}

export type LoadResult = Loaded | NotLoaded

/** Reads a configuration file. What is wrong with it is a value, all of it at once. */
export async function loadConfig(path: string, options: LoadOptions = {}): Promise<LoadResult> {
  const file = resolve(path)
  let text: string
  try {
    text = await readSmallFile(file)
  } catch (error) {
    return unreadable(file, error as NodeJS.ErrnoException)
  }
  const { isAccepted } = options
  if (isAccepted && !(await isAccepted(text))) return notLoaded(file, 'not-accepted', NOT_ACCEPTED)
  return parseConfig(text, { ...options, file })
}

export interface ParseOptions extends LoadOptions {
  /** Names the text in problems; relative paths start at its folder. Without it, at the current folder. */
  readonly file?: string | undefined
  readonly format?: ConfigFormat | undefined
}

export async function parseConfig(source: string, options: ParseOptions = {}): Promise<LoadResult> {
  const places = options.places ?? currentPlaces()
  const text = source.replace(/^\uFEFF/, '')
  const format = options.format ?? formatOf(options.file ?? '', text)
  const document = await parseSource(text, format)
  const baseDir = options.file === undefined ? places.cwd : dirname(options.file)
  const context = new CompileContext(document, { file: options.file ?? 'configuration', baseDir, places })
  let tests: readonly PolicyTestResult[] = []
  const model = await compile()
  const dependencies = [...context.dependencies]
  const problems = [...openToAll(options.file), ...inOrder(context.problems)]
  const isBad = problems.some((problem) => problem.severity === 'error')
  return model === undefined || isBad
    ? { ok: false, problems, dependencies, tests }
    : { ok: true, model, warnings: problems, dependencies, tests }

  async function compile(): Promise<GatewayModel | undefined> {
    context.reportSyntax()
    if (document.errors.length > 0) return undefined
    const violations = await checkAgainstSchema(document.value)
    for (const finding of explainViolations(violations, document.value)) context.report(finding)
    // A part that does not fit the schema cannot be compiled. Its problem would only be reported twice.
    if (violations.length > 0) return undefined
    const raw = document.value as RawConfig
    const settings = fillIn(raw)
    await preparePatterns(settings)
    const compiled = compileConfig(raw, settings, context, {
      file: options.file,
      overrides: options.overrides ?? {},
      conditions: await compileConditions(settings, context),
      expressions: await compileExpressions(settings, context),
    })
    // Rules that could not be compiled decide nothing.
    if (raw.policy?.tests && !context.hasErrors) {
      const { runPolicyTests } = await import('./compile/policy-tests.ts')
      tests = runPolicyTests(settings.policy.tests, compiled, context)
    }
    return compiled
  }
}

/** A configuration made in memory: for embedding, demonstrations and tests. */
export function configFromValue(value: RawConfig, options: LoadOptions = {}): Promise<LoadResult> {
  return parseConfig(JSON.stringify(value, undefined, 2), { ...options, format: 'jsonc' })
}

function inOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** Problems of the file itself. */
const WHOLE_FILE = { line: 1, column: 1, length: 1, path: '' }

const NOT_ACCEPTED: Why = {
  message: 'The file was found here and accepted as it was; it has changed since, and can run any command',
  fix: 'Look at it, then start the gateway again; with --config FILE it takes up changes by itself',
}

type Why = Pick<Problem, 'message' | 'fix'>

export function unreadable(file: string, error: NodeJS.ErrnoException): NotLoaded {
  return notLoaded(file, 'unreadable', whyUnreadable(file, error))
}

function notLoaded(file: string, code: Problem['code'], why: Why): NotLoaded {
  const problem: Problem = { severity: 'error', code, ...why, file, ...WHOLE_FILE }
  return { ok: false, problems: [problem], dependencies: [], tests: [] }
}

/** A configuration runs commands: a user who can change it can run commands as the user of the gateway. */
function openToAll(file: string | undefined): Problem[] {
  if (file === undefined) return []
  return [file, dirname(file)].filter(isOpenToAll).map((place) => ({
    severity: 'warning',
    code: 'open-to-all',
    message: `Every user of this machine can change ${place}, and so run commands with the rights of the gateway`,
    fix: `chmod o-w ${place}`,
    file,
    ...WHOLE_FILE,
  }))
}

function whyUnreadable(file: string, error: NodeJS.ErrnoException): Why {
  switch (error.code) {
    case 'ENOENT':
      return { message: 'The configuration file does not exist', fix: `Create one with: gantry init ${file}` }
    case 'EISDIR':
      return { message: 'This is a folder and not a configuration file', fix: 'Name the file in it' }
    default:
      return {
        message: `The file cannot be read: ${error.message}`,
        fix: 'Check what the file is, and its permissions',
      }
  }
}
