import { EvaluationError, type Environment, ParseError, type ParseResult } from '@marcbachmann/cel-js'
import {
  type ArgumentUse,
  compileRe2,
  loadRe2,
  readSpan,
  suggest,
  type Condition,
  type FactSource,
  type SourcePlace,
  type Truth,
} from '../model/index.ts'
import { meterCost } from './cost.ts'
import {
  childrenOf,
  createBase,
  MEMBERS,
  beginEvaluation,
  SAFE_MATCHES,
  SOURCES,
  type Node,
  type TestPattern,
} from './environment.ts'
import { type Facts, type Field, toField, UNKNOWN } from './facts.ts'
import { quickAnswer, type QuickAnswer } from './quick-condition.ts'
import { beginWork, endWork, isOverspent, spend, tooMuch } from './work.ts'

let base: Environment | undefined
let untyped: Environment | undefined

/** Everything but `args`. */
export function baseEnvironment(): Environment {
  base ??= createBase()
  return base
}

/** With arguments of any type. */
export function untypedEnvironment(): Environment {
  untyped ??= baseEnvironment().clone().registerVariable('args', 'map<string, dyn>')
  return untyped
}

/** What is wrong with an expression. */
export class BadExpression extends Error {}

/** Compiles the condition of a rule; throws `BadExpression` when it cannot be used. */
export async function compileCondition(source: string, place?: SourcePlace): Promise<Condition> {
  const parsed = parseChecked(source, untypedEnvironment())
  const patterns = await testsIn(parsed.ast as unknown as Node)
  meterCost(parsed.ast as unknown as Node)
  return new CelCondition({ source, place, run: parsed, patterns })
}

/** What the patterns of an expression test. */
export async function testsIn(root: Node): Promise<ReadonlyMap<string, TestPattern>> {
  const patterns = new Map<string, TestPattern>()
  for (const pattern of patternsIn(root)) patterns.set(pattern, await toTest(pattern))
  return patterns
}

/** Parses and type-checks the condition of a rule. What is wrong is said in one line. */
export function parseChecked(source: string, environment: Environment): ParseResult {
  const { parsed, type } = parseExpression(source, environment)
  if (type !== 'bool' && type !== 'dyn') {
    throw new BadExpression(`A condition has to be true or false, and this is of type ${type}`)
  }
  return parsed
}

/** Parses and type-checks what may give any value. `type` is the kind of value, as CEL names it. */
export function parseExpression(
  source: string,
  environment: Environment,
): { readonly parsed: ParseResult; readonly type: string } {
  let parsed: ParseResult
  try {
    parsed = environment.parse(source)
  } catch (error) {
    throw new BadExpression(summaryOf(error))
  }
  prepare(parsed.ast as unknown as Node)
  const { valid, type, error } = parsed.check()
  if (!valid) throw new BadExpression(summaryOf(error), { cause: error })
  return { parsed, type: String(type) }
}

/** The library says where in the expression something is wrong in further lines. */
export function summaryOf(error: unknown): string {
  const { summary, message } = error as { summary?: string; message: string }
  const said = summary ?? message
  const [, what, written] = /^(Unknown variable|No such key): (\w+)$/.exec(said) ?? []
  const known = what === 'Unknown variable' ? Object.keys(SOURCES) : MEMBERS
  const meant = written === undefined ? undefined : suggest(written, known)
  return meant === undefined ? said : `${said}; did you mean ${meant}?`
}

/** Puts our own `matches` in place, and refuses what could not be bounded or explained. */
export function prepare(node: Node): void {
  const [name] = Array.isArray(node.args) ? (node.args as unknown[]) : []
  if (node.op === 'rcall' && name === 'matches') {
    literal(node, 2, 'The pattern of matches()')
    ;(node.args as unknown[])[0] = SAFE_MATCHES
  }
  if (node.op === 'call' && name === 'count') {
    const window = literal(node, 1, 'The window of count()')
    if (!readSpan(window)) throw new BadExpression(`"${window}" is no window: write "1h", "30m" or "1d"`)
  }
  const variable = node.meta.alternate?.op === 'comprehension' ? loopOf(node).iterVarName : undefined
  if (variable !== undefined && Object.hasOwn(SOURCES, variable)) {
    throw new BadExpression(`"${variable}" is a variable already: call the element something else`)
  }
  for (const child of childrenOf(node)) prepare(child)
}

function loopOf(node: Node): { iterVarName: string } {
  return node.meta.alternate!.args as { iterVarName: string }
}

function literal(node: Node, at: number, what: string): string {
  const [value] = (node.args as [unknown, ...Node[][]])[at] as Node[]
  if (value?.op === 'value' && typeof value.args === 'string') return value.args
  throw new BadExpression(`${what} has to be a text in quotes`)
}

function patternsIn(node: Node): string[] {
  const own = node.op === 'rcall' && (node.args as unknown[])[0] === SAFE_MATCHES
  return [...(own ? [literal(node, 2, '')] : []), ...childrenOf(node).flatMap(patternsIn)]
}

/** For each character, the engine tries all places of the pattern where it may be: `[a-z]{1,900}` has 1,800 of them. */
const STEPS_PER_UNIT = 33
/** For one of the few places of most patterns, it takes up to 2 µs. */
const LEAST_COST = 3

async function toTest(pattern: string): Promise<TestPattern> {
  await loadRe2()
  try {
    const compiled = compileRe2(pattern)
    const cost = Math.max(LEAST_COST, compiled.programSize() / STEPS_PER_UNIT)
    return (text) => {
      spend(text.length * cost)
      return compiled.matcher(text).find()
    }
  } catch (error) {
    throw new BadExpression(`"${pattern}" is no pattern: ${(error as Error).message}`)
  }
}

function isArgs(node: Node | undefined): boolean {
  return node?.op === 'id' && node.args === 'args'
}

/** The members of `args` that an expression names; undefined when it looks at all of them. */
function fieldsOf(root: Node): readonly string[] | undefined {
  const fields = new Set<string>()
  /** False when `args` is used as a whole. */
  const look = (node: Node): boolean => {
    if (isArgs(node)) return false
    const field = fieldIn(node)
    if (field !== undefined) {
      fields.add(field)
      return true
    }
    return childrenOf(node).every(look)
  }
  return look(root) ? [...fields] : undefined
}

/** The name in `args.name`, `args["name"]`, `args.?name` and `"name" in args`. */
function fieldIn({ op, args }: Node): string | undefined {
  if (!Array.isArray(args)) return undefined
  const [left, right] = args as [Node, Node | string]
  if ((op === '.' || op === '.?') && isArgs(left)) return right as string
  const [holder, name] = op === 'in' ? [right as Node, left] : [left, right as Node]
  const isLookup = op === 'in' || op === '[]' || op === '[?]'
  return isLookup && isArgs(holder) && name.op === 'value' && typeof name.args === 'string'
    ? name.args
    : undefined
}

/** The members of `args` in `has(args.name)`. */
function guardedIn(node: Node): string[] {
  const field = guardOf(node)
  return [...(field === undefined ? [] : [field]), ...childrenOf(node).flatMap(guardedIn)]
}

function guardOf(node: Node): string | undefined {
  const own = node.op === 'call' && (node.args as unknown[])[0] === 'has' ? childrenOf(node)[0] : undefined
  return own && fieldIn(own)
}

function looksUp(node: Node): boolean {
  return (node.op === 'in' && fieldIn(node) !== undefined) || childrenOf(node).some(looksUp)
}

/** How an expression uses the arguments of a call. */
export function argumentUse(root: Node): ArgumentUse {
  const fields = fieldsOf(root)
  const isWhole = !fields || looksUp(root)
  return {
    use: isWhole ? 'whole' : fields.length > 0 ? 'some' : 'none',
    guarded: [...new Set(guardedIn(root))],
  }
}

export function sourcesIn(node: Node): FactSource[] {
  const name = node.op === 'id' ? node.args : node.op === 'call' ? (node.args as unknown[])[0] : undefined
  const own = typeof name === 'string' && Object.hasOwn(SOURCES, name) ? [SOURCES[name]!] : []
  return [...own, ...childrenOf(node).flatMap(sourcesIn)]
}

export function windowsIn(node: Node): number[] {
  const own = node.op === 'call' && (node.args as unknown[])[0] === 'count'
  return [...(own ? [readSpan(literal(node, 1, ''))!] : []), ...childrenOf(node).flatMap(windowsIn)]
}

interface CompiledParts {
  readonly source: string
  readonly place: SourcePlace | undefined
  readonly run: ParseResult
  readonly patterns: ReadonlyMap<string, TestPattern>
}

class CelCondition implements Condition {
  readonly source: string
  readonly args: Condition['args']
  readonly windows: readonly number[]
  readonly reads: Condition['reads']
  readonly #run: ParseResult
  readonly #patterns: ReadonlyMap<string, TestPattern>
  readonly #fields: readonly Field[] | undefined
  readonly #quick: QuickAnswer | undefined
  readonly #place: SourcePlace | undefined

  constructor({ source, place, run, patterns }: CompiledParts) {
    const root = run.ast as unknown as Node
    this.#place = place
    this.source = source
    this.windows = [...new Set(windowsIn(root))]
    this.reads = [...new Set(sourcesIn(root))]
    this.#run = run
    this.#patterns = patterns
    this.#fields = fieldsOf(root)?.map(toField)
    this.#quick = quickAnswer(root)
    this.args = argumentUse(root)
  }

  /** Not a member: a rule that was only moved is the same rule. */
  get place(): SourcePlace | undefined {
    return this.#place
  }

  evaluate(facts: Facts): Truth {
    const value = this.#quickly(facts) ?? this.#valueOf(facts)
    if (value === true) return 'yes'
    if (value === false) return 'no'
    return facts.isIncomplete ? 'maybe' : 'fails'
  }

  /** Undefined where it takes the library to tell, and where it fails. */
  #quickly(facts: Facts): boolean | undefined {
    if (!this.#quick) return undefined
    facts.fields = this.#fields
    try {
      return this.#quick(facts)
    } catch {
      return undefined
    }
  }

  whyItFails(facts: Facts): string {
    const value = this.#valueOf(facts)
    if (!(value instanceof Error)) return 'its value is neither true nor false'
    return value instanceof EvaluationError || value instanceof ParseError ? value.summary : value.message
  }

  /** The value, or what was thrown. */
  #valueOf(facts: Facts): unknown {
    facts.fields = this.#fields
    facts.isIncomplete = false
    if (!beginWork(facts.work)) return tooMuch()
    beginEvaluation(facts, this.#patterns)
    let value: unknown
    try {
      value = this.#run(facts)
    } catch (error) {
      value = error
    }
    if (!endWork()) facts.isIncomplete = false
    else if (value === UNKNOWN) return UNKNOWN
    return isOverspent() ? tooMuch() : value
  }
}
