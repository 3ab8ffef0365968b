import type { ErrorObject } from 'ajv'
import type { ConfigPath, ProblemCode } from '../problem.ts'
import { suggest } from '../../model/index.ts'

export interface Finding {
  readonly code: ProblemCode
  readonly path: ConfigPath
  readonly part: 'key' | 'value'
  readonly message: string
  readonly fix: string | undefined
}

export function explainViolations(errors: readonly ErrorObject[], root: unknown): Finding[] {
  return errors.filter((error) => !isNoise(error, errors)).map((error) => explain(error, root))
}

/**
 * When an alternative fails, each of its branches fails, too, but people want one message. The message is that of the
 * alternative, unless a branch that is an object says more. A misspelt key is not reported as a missing key as well.
 */
function isNoise(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (error.keyword === 'propertyNames' || isConsequenceOfSlip(error, all)) return true
  if (isAlternative(error) && hasDeeperReason(error, all)) return true
  return all.some((other) => other !== error && isAlternative(other) && isBranchOf(error, other, all))
}

function isAlternative(error: ErrorObject): boolean {
  return error.keyword === 'anyOf' || error.keyword === 'oneOf'
}

function isBranchOf(error: ErrorObject, alternative: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (error.instancePath !== alternative.instancePath) return false
  if (error.schemaPath.startsWith(`${alternative.schemaPath}/`)) return true
  return !isObject(alternative.data) || (error.keyword === 'const' && hasDeeperReason(alternative, all))
}

function hasDeeperReason(alternative: ErrorObject, all: readonly ErrorObject[]): boolean {
  const branches = alternative.schema as readonly { $ref?: string }[]
  if (!isObject(alternative.data) || !branches.some((branch) => branch.$ref)) return false
  return all.some((error) => {
    if (error.instancePath.startsWith(`${alternative.instancePath}/`)) return true
    const isHere = error !== alternative && error.instancePath === alternative.instancePath
    return isHere && error.keyword !== 'const' && error.keyword !== 'type'
  })
}

function isConsequenceOfSlip(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  return all.some((other) => {
    if (other.keyword !== 'additionalProperties' || other.instancePath !== error.instancePath) return false
    const meant = suggestKey(other)
    if (meant === undefined) return false
    return isAlternative(error)
      ? JSON.stringify(error.schema).includes(`"required":["${meant}"]`)
      : error.params.missingProperty === meant
  })
}

function suggestKey(error: ErrorObject): string | undefined {
  return suggest(error.params.additionalProperty, knownKeys(error))
}

function knownKeys(error: ErrorObject): string[] {
  return Object.keys((error.parentSchema?.properties as object | undefined) ?? {})
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function explain(error: ErrorObject, root: unknown): Finding {
  const path = parsePointer(error.instancePath, root)
  if (error.propertyName !== undefined) path.push(error.propertyName)
  const written = error.parentSchema?.errorMessage as string | undefined
  const finding = explainers[error.keyword]?.(error, path) ?? {
    message: `${subject(path)} ${error.message ?? 'is not valid'}`,
  }
  const isOwnWording = written !== undefined && ['anyOf', 'oneOf', 'pattern'].includes(error.keyword)
  return {
    code: finding.code ?? 'invalid-value',
    path: finding.path ?? path,
    part: finding.part ?? (error.propertyName !== undefined || isObject(error.data) ? 'key' : 'value'),
    message: isOwnWording ? `${subject(path)} is not valid` : finding.message,
    fix: isOwnWording ? written : finding.fix,
  }
}

type Explanation = { message: string } & Partial<Omit<Finding, 'message'>>

const explainers: {
  readonly [keyword: string]: ((error: ErrorObject, path: ConfigPath) => Explanation) | undefined
} = {
  additionalProperties: explainUnknownKey,
  required: (error, path) => ({
    code: 'missing-key',
    part: 'key',
    message: `${subject(path)} has no "${error.params.missingProperty}"`,
    fix: `Add "${error.params.missingProperty}"`,
  }),
  dependentRequired: (error, path) => ({
    code: 'misplaced-key',
    path: [...path, error.params.property],
    part: 'key',
    message: `"${error.params.property}" is only for targets with "${error.params.missingProperty}"`,
    fix: `Remove it, or add "${error.params.missingProperty}"`,
  }),
  type: explainType,
  enum: explainEnum,
  minLength: (_, path) => ({ message: `${subject(path)} must not be empty` }),
  minimum: (error, path) => ({ message: `${subject(path)} must be at least ${error.params.limit}` }),
  maximum: (error, path) => ({ message: `${subject(path)} must be at most ${error.params.limit}` }),
  pattern: (error, path) => ({
    message: `${subject(path)} is not valid: it has to match ${error.params.pattern}`,
  }),
}

/** Where people look for settings that live elsewhere. */
const ELSEWHERE: { readonly [key: string]: string | undefined } = {
  port: 'server.port',
  host: 'server.host',
  allowedTools: 'tools.include',
  enabledTools: 'tools.include',
  include: 'tools.include',
  exclude: 'tools.exclude',
  rename: 'tools.rename',
  describe: 'tools.describe',
  apiKeys: 'auth.apiKeys',
  bearer: 'auth.bearer',
  rules: 'policy.rules',
  logLevel: 'telemetry.logLevel',
  separator: 'names.separator',
  keyPrefix: 'store.redis.prefix',
  ttl: 'catalog.ttl',
  targets: 'mcpServers',
  mcp: 'mcpServers',
}

function explainUnknownKey(error: ErrorObject, path: ConfigPath): Explanation {
  const key: string = error.params.additionalProperty
  const close = suggestKey(error)
  return {
    code: 'unknown-key',
    path: [...path, key],
    part: 'key',
    message: `Unknown key "${key}"${path.length === 0 ? '' : ` in ${last(path)}`}`,
    fix: close
      ? `Did you mean "${close}"?`
      : (pointElsewhere(error, key, path) ?? listKeys(knownKeys(error))),
  }
}

function pointElsewhere(error: ErrorObject, key: string, path: ConfigPath): string | undefined {
  const value = (error.data as Record<string, unknown>)[key]
  const looksLikeTarget = isObject(value) && ('command' in value || 'url' in value)
  if (looksLikeTarget && path.length <= 1) return `Servers behind the gateway go under "mcpServers"`
  const place = Object.hasOwn(ELSEWHERE, key) ? ELSEWHERE[key] : undefined
  return place && place !== [...path, key].join('.') ? `Write it as "${place}"` : undefined
}

function listKeys(known: readonly string[]): string {
  return `Remove it. Known keys here: ${known.filter((key) => !key.startsWith('$')).join(', ')}`
}

function explainType(error: ErrorObject, path: ConfigPath): Explanation {
  const wanted = String(error.params.type)
  const message = `${subject(path)} must be ${KINDS[wanted] ?? wanted}, and is ${kindOf(error.data)}`
  if (wanted === 'string' && ['number', 'boolean'].includes(typeof error.data)) {
    return { message, fix: 'Put it in quotes' }
  }
  const isNumeric =
    typeof error.data === 'string' && error.data.trim() !== '' && !Number.isNaN(Number(error.data))
  if ((wanted === 'integer' || wanted === 'number') && isNumeric) {
    return { message, fix: 'Remove the quotes' }
  }
  if (wanted === 'array' && typeof error.data === 'string') return { message, fix: 'Put it in brackets: [ ]' }
  return { message }
}

function explainEnum(error: ErrorObject, path: ConfigPath): Explanation {
  const allowed = error.params.allowedValues as readonly string[]
  const close = typeof error.data === 'string' ? suggest(error.data, allowed) : undefined
  return {
    message: `${subject(path)} must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`,
    fix: close ? `Did you mean "${close}"?` : undefined,
  }
}

const KINDS: { readonly [type: string]: string | undefined } = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object with keys',
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return { string: 'text', number: 'a number', boolean: 'a boolean', object: 'an object' }[
    typeof value as 'string'
  ]
}

function subject(path: ConfigPath): string {
  return path.length === 0 ? 'The configuration' : last(path)
}

function last(path: ConfigPath): string {
  const step = path.at(-1)!
  return typeof step === 'number' ? `Entry ${step + 1} of "${String(path.at(-2) ?? '')}"` : `"${step}"`
}

/** Steps into lists become numbers, which only the value can tell from keys made of digits. */
function parsePointer(pointer: string, root: unknown): (string | number)[] {
  let value = root
  return pointer
    .split('/')
    .slice(1)
    .map((step) => {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      const part = Array.isArray(value) ? Number(key) : key
      value = (value as Record<string | number, unknown>)[part]
      return part
    })
}
