import { Environment, type ASTNode } from '@marcbachmann/cel-js'
import { readSpan, type FactSource } from '../model/index.ts'
import { AnnotationsValue, ClientValue, PrincipalValue, type Facts } from './facts.ts'

/** What `matches` calls: a pattern in the syntax of RE2, which takes linear time for every text, and pays for it. */
export type TestPattern = (text: string) => boolean

let current: Facts | undefined
let patterns: ReadonlyMap<string, TestPattern> | undefined

/** Functions see the facts and the patterns of the expression that is evaluated next. */
export function beginEvaluation(facts: Facts, known: ReadonlyMap<string, TestPattern>): void {
  current = facts
  patterns = known
}

/** The name that `matches` gets: the library's own takes patterns that can run for ever. */
export const SAFE_MATCHES = 'matchesRe2'

/** The variables that arguments do not change, and the functions. `args` is added with the type that it has. */
export function createBase(): Environment {
  const base = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 2_000, maxDepth: 64 },
  })
  base.registerType('Principal', { ctor: PrincipalValue, fields: FIELDS.principal })
  base.registerType('Client', { ctor: ClientValue, fields: FIELDS.client })
  base.registerType('Annotations', { ctor: AnnotationsValue, fields: FIELDS.annotations })
  for (const [name, type] of Object.entries(VARIABLES)) base.registerVariable(name, type)
  base.registerFunction('count(string): int', (window: string) => current!.count(readSpan(window)!), {
    async: false,
  })
  base.registerFunction(
    `string.${SAFE_MATCHES}(string): bool`,
    (value: string, pattern: string) => patterns!.get(pattern)!(value),
    { async: false },
  )
  for (const [op, run] of Object.entries(MIXED)) {
    base.registerOperator(`int ${op} double: double`, (a: bigint, b: number) => run(Number(a), b))
    base.registerOperator(`double ${op} int: double`, (a: number, b: bigint) => run(a, Number(b)))
  }
  return base
}

const FIELDS = {
  principal: { kind: 'string', issuer: 'string', subject: 'string', scopes: 'list<string>' },
  client: { id: 'string', name: 'string', version: 'string' },
  annotations: {
    title: 'string',
    readOnlyHint: 'bool',
    destructiveHint: 'bool',
    idempotentHint: 'bool',
    openWorldHint: 'bool',
  },
} as const

/** What variables have. */
export const MEMBERS: readonly string[] = Object.values(FIELDS).flatMap((fields) => Object.keys(fields))

const VARIABLES = {
  principal: 'Principal',
  groups: 'list<string>',
  claims: 'map<string, dyn>',
  client: 'Client',
  era: 'string',
  view: 'string',
  target: 'string',
  tool: 'string',
  kind: 'string',
  annotations: 'Annotations',
  uri: 'string',
  now: 'google.protobuf.Timestamp',
} as const

/** Where each variable and `count()` come from. */
export const SOURCES: Readonly<Record<string, FactSource>> = {
  principal: 'auth',
  groups: 'auth',
  claims: 'auth',
  client: 'client',
  era: 'client',
  view: 'client',
  target: 'object',
  tool: 'object',
  kind: 'object',
  uri: 'object',
  annotations: 'item',
  args: 'call',
  now: 'call',
  count: 'call',
}

/** JSON has one kind of number, so 2 and 2.5 can be calculated with alike. */
const MIXED = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
}

/** A node as the library has it at run time. */
export interface Node {
  op: ASTNode['op'] | 'comprehension'
  args: unknown
  readonly start: number
  readonly meta: { alternate?: Node; evaluate?: Evaluate }
  handle?: (...parts: unknown[]) => unknown
  setMeta(key: 'evaluate', value: Evaluate): unknown
}
type Evaluate = (...parts: unknown[]) => unknown

/** The nodes right below a node, as they are written. */
export function childrenOf({ args }: Node): Node[] {
  const found: Node[] = []
  const look = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(look)
    else if (typeof part === 'object' && part !== null && 'op' in part) found.push(part as Node)
  }
  look(args)
  return found
}
