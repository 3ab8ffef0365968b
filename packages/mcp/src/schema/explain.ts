import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { explainValue, jsonEqual, type MatchesFormat } from './explain-value.ts'
import { describeIssue, type Issue, type Path, formatPath } from './issues.ts'
import { MAX_EXPLAIN_STEPS, MAX_ISSUES, TooCostly } from './limits.ts'
import { createMatcher } from './pattern/create-matcher.ts'
import type { ValidationSchema } from './validation-schema.ts'

interface Explanation {
  readonly definitions: ValidationSchema['definitions']
  readonly matchesFormat: MatchesFormat
  stepsLeft: number
}

/** Says why a value was refused, with the same bounded messages on every runtime. */
export function explain(schema: ValidationSchema, value: unknown, matchesFormat: MatchesFormat): Issue[] {
  const explanation = { definitions: schema.definitions, matchesFormat, stepsLeft: MAX_EXPLAIN_STEPS }
  let findings: Finding[] = []
  try {
    findings = explainSchema(schema.schema, value, [], explanation)
  } catch (thrown) {
    if (!(thrown instanceof TooCostly) && !(thrown instanceof RangeError)) throw thrown
  }
  if (findings.length === 0) return [{ path: '', message: generalRemark(schema) }]
  return distinct(findings.map(toIssue)).slice(0, MAX_ISSUES)
}

function generalRemark({ keywords }: ValidationSchema): string {
  return keywords.has('unevaluatedProperties') || keywords.has('unevaluatedItems')
    ? 'has a field or an item that the schema does not allow'
    : 'does not match the schema'
}

function distinct(issues: Issue[]): Issue[] {
  return [...new Map(issues.map((issue) => [describeIssue(issue), issue])).values()]
}

function explainSchema(schema: unknown, value: unknown, path: Path, run: Explanation): Finding[] {
  run.stepsLeft -= 1
  if (run.stepsLeft < 0) throw new TooCostly('enough has been said')
  if (schema === false) return [{ path, message: 'is not allowed' }]
  if (!isJsonObject(schema)) return []
  const { kind, messages } = explainValue(schema, value, run.matchesFormat)
  const findings: Finding[] = messages.map((message) => ({ path, message, kind }))
  // When a value has the wrong type, or is the wrong constant, its other faults do not matter.
  if (findings.length > 0 && kind !== 'detail') return findings
  if (typeof schema.$ref === 'string') {
    findings.push(...explainSchema(run.definitions[schema.$ref.slice('#/$defs/'.length)], value, path, run))
  }
  if (isJsonObject(value)) findings.push(...explainObject(schema, value, path, run))
  if (Array.isArray(value)) findings.push(...explainArray(schema, value, path, run))
  findings.push(...explainComposition(schema, value, path, run))
  return findings
}

function explainObject(schema: JsonObject, value: JsonObject, path: Path, run: Explanation): Finding[] {
  const findings: Finding[] = []
  for (const name of (schema.required as string[] | undefined) ?? []) {
    if (!Object.hasOwn(value, name)) findings.push({ path: [...path, name], message: 'is required' })
  }
  const patterns = Object.entries((schema.patternProperties as JsonObject | undefined) ?? {})
  const matchers = patterns.map(([pattern, member]) => [createMatcher(pattern), member] as const)
  const properties = (schema.properties as JsonObject | undefined) ?? {}
  for (const [name, member] of Object.entries(value)) {
    if (findings.length >= MAX_ISSUES) break
    const schemas = matchers.filter(([matcher]) => matcher?.test(name)).map(([, subschema]) => subschema)
    if (Object.hasOwn(properties, name)) schemas.push(properties[name])
    if (schemas.length === 0 && 'additionalProperties' in schema) schemas.push(schema.additionalProperties)
    for (const subschema of schemas) findings.push(...explainSchema(subschema, member, [...path, name], run))
    if ('propertyNames' in schema && explainSchema(schema.propertyNames, name, [], run).length > 0) {
      findings.push({ path: [...path, name], message: 'is not an allowed name' })
    }
  }
  findings.push(...explainDependencies(schema, value, path, run))
  return findings
}

function explainDependencies(schema: JsonObject, value: JsonObject, path: Path, run: Explanation): Finding[] {
  const findings: Finding[] = []
  for (const [name, needed] of Object.entries((schema.dependentRequired as JsonObject | undefined) ?? {})) {
    if (!Object.hasOwn(value, name)) continue
    for (const other of needed as string[]) {
      const message = `is required when ${JSON.stringify(name)} is given`
      if (!Object.hasOwn(value, other)) findings.push({ path: [...path, other], message })
    }
  }
  for (const [name, member] of Object.entries((schema.dependentSchemas as JsonObject | undefined) ?? {})) {
    if (Object.hasOwn(value, name)) findings.push(...explainSchema(member, value, path, run))
  }
  return findings
}

function explainArray(schema: JsonObject, value: unknown[], path: Path, run: Explanation): Finding[] {
  const findings: Finding[] = []
  const prefix = (schema.prefixItems as unknown[] | undefined) ?? []
  for (const [index, item] of value.entries()) {
    if (findings.length >= MAX_ISSUES) break
    const subschema = index < prefix.length ? prefix[index] : schema.items
    if (subschema !== undefined) findings.push(...explainSchema(subschema, item, [...path, index], run))
  }
  if (schema.uniqueItems === true && value.length < 1_000) {
    const repeated = value.findIndex((item, index) =>
      value.slice(0, index).some((other) => jsonEqual(item, other)),
    )
    if (repeated >= 0) findings.push({ path: [...path, repeated], message: 'repeats an earlier item' })
  }
  if ('contains' in schema) findings.push(...explainContains(schema, value, path, run))
  return findings
}

function explainContains(schema: JsonObject, value: unknown[], path: Path, run: Explanation): Finding[] {
  const count = value.filter((item) => explainSchema(schema.contains, item, path, run).length === 0).length
  const least = (schema.minContains as number | undefined) ?? 1
  const most = schema.maxContains as number | undefined
  if (count < least) return [{ path, message: `must contain at least ${least} item(s) of the required form` }]
  if (most === undefined || count <= most) return []
  return [{ path, message: `must contain at most ${most} item(s) of the given form` }]
}

function explainComposition(schema: JsonObject, value: unknown, path: Path, run: Explanation): Finding[] {
  const findings: Finding[] = []
  for (const member of (schema.allOf as unknown[] | undefined) ?? []) {
    findings.push(...explainSchema(member, value, path, run))
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    if (!Array.isArray(schema[keyword])) continue
    const failures = schema[keyword].map((option) => explainSchema(option, value, path, run))
    findings.push(...explainChoice(failures, keyword === 'oneOf', path))
  }
  if ('not' in schema && explainSchema(schema.not, value, path, run).length === 0) {
    findings.push({ path, message: 'has a form that is not allowed' })
  }
  if ('if' in schema) {
    const branch = explainSchema(schema.if, value, path, run).length === 0 ? schema.then : schema.else
    if (branch !== undefined) findings.push(...explainSchema(branch, value, path, run))
  }
  return findings
}

/** Says why no option fits, or too many, without the faults of every option. */
function explainChoice(failures: readonly Finding[][], isExclusive: boolean, path: Path): Finding[] {
  const matches = failures.filter((findings) => findings.length === 0).length
  if (matches === 1 || (matches > 1 && !isExclusive)) return []
  if (matches > 1)
    return [{ path, message: `matches ${matches} of the allowed forms and must match only one` }]
  const meant = failures.filter((findings) => !findings.some((finding) => isOtherForm(finding, path)))
  if (meant.length === 1) return meant[0]!
  if (failures.length === 1) return failures[0]!
  return [mergedConstants(failures, path) ?? { path, message: describeOptions(failures) }]
}

/** The value is of another type, or its tag – a constant at hand – has another value: not the option meant. */
function isOtherForm(finding: Finding, path: Path): boolean {
  if (finding.kind === 'type') return finding.path.length === path.length
  return finding.kind === 'constant' && finding.path.length <= path.length + 1
}

/** Options that are mere types or constants: `must be string or null`. */
function mergedConstants(failures: readonly Finding[][], path: Path): Finding | undefined {
  const findings = failures.flat()
  const isMere = (finding: Finding): boolean =>
    finding.path.length === path.length && isOtherForm(finding, path)
  if (!findings.every(isMere)) return undefined
  const choices = new Set(findings.map((finding) => finding.message.replace(/^must be (one of )?/, '')))
  return { path, message: `must be ${[...choices].join(' or ')}`, kind: 'constant' }
}

const MAX_DESCRIBED_OPTIONS = 5
const MAX_DESCRIBED_FAULTS = 3

function describeOptions(failures: readonly Finding[][]): string {
  const described = failures.slice(0, MAX_DESCRIBED_OPTIONS).map((findings, index) => {
    const faults = findings.slice(0, MAX_DESCRIBED_FAULTS).map((finding) => describeIssue(toIssue(finding)))
    return `(${index + 1}) ${faults.join(', ')}`
  })
  if (failures.length > MAX_DESCRIBED_OPTIONS) described.push('…')
  return `matches none of the allowed forms: ${described.join('; ')}`
}

interface Finding {
  readonly path: Path
  readonly message: string
  /** The kind of finding, which shows whether another schema was meant. */
  readonly kind?: 'type' | 'constant' | 'detail'
}

function toIssue({ path, message }: Finding): Issue {
  return { path: formatPath(path), message }
}
