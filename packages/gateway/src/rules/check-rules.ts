import { serialize, type ASTNode } from '@marcbachmann/cel-js'
import type { JsonObject } from '@gantry/mcp/exchange'
import { suggest, type RuleModel, type RuleSet, type SourcePlace } from '../model/index.ts'
import { typedArguments, type TypedArguments } from './argument-types.ts'
import { BadExpression, parseChecked } from './condition.ts'
import { Facts, KnownCall, type PolicyObject } from './facts.ts'
import { indexOf } from './rule-index.ts'

/** What a target lists, under its own names. */
export interface Offer {
  readonly target: string
  readonly tools: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
}

/** A condition that does not fit what it is about. */
export interface RuleFinding {
  readonly rule: string
  readonly place: SourcePlace | undefined
  readonly message: string
}

/** Checking one takes about a millisecond. */
const MOST_CHECKS = 2_000

/** Compares conditions about arguments with what the tools and prompts say that they take. */
export function checkRules(set: RuleSet, offers: readonly Offer[]): RuleFinding[] {
  const reading = set.rules.filter(({ when }) => when?.args.use === 'some')
  if (reading.length === 0) return []
  const found = new Map<RuleModel, string[]>(reading.map((rule) => [rule, []]))
  const objects = new Map<RuleModel, PolicyObject[]>()
  let checks = 0
  for (const object of offers.flatMap(objectsOf)) {
    for (const { rule } of indexOf(set).mentions(object).rules) {
      const messages = found.get(rule)
      if (!messages || messages.length > 0 || cannotHold(rule, object)) continue
      if (++checks > MOST_CHECKS) break
      const message = object.kind === 'resources' ? withoutArguments(rule, object) : misfit(rule, object)
      if (message !== undefined) messages.push(message)
      else if (object.kind !== 'resources') objects.set(rule, [...(objects.get(rule) ?? []), object])
    }
  }
  for (const [rule, about] of objects) {
    const message = found.get(rule)!.length === 0 ? unknownGuard(rule, about) : undefined
    if (message !== undefined) found.get(rule)!.push(message)
  }
  return reading.flatMap((rule) =>
    found.get(rule)!.map((message) => ({ rule: rule.name, place: rule.when?.place, message })),
  )
}

function objectsOf({ target, tools, prompts, resources }: Offer): PolicyObject[] {
  const objects = (kind: PolicyObject['kind'], items: readonly JsonObject[], key: string): PolicyObject[] =>
    items.map((item) => ({ kind, target, name: String(item[key]), item }))
  return [
    ...objects('tools', tools, 'name'),
    ...objects('prompts', prompts, 'name'),
    ...objects('resources', resources, 'uri'),
  ]
}

/** `tool == "other" && …` says by itself that it is not about this one. */
function cannotHold({ when }: RuleModel, object: PolicyObject): boolean {
  return when!.evaluate(new Facts({ object })) === 'no'
}

/** Resources have no arguments: a condition that needs some denies them all. */
function withoutArguments({ when, name }: RuleModel, object: PolicyObject): string | undefined {
  const call = new KnownCall({ args: {}, now: new Date(), count: () => 0 })
  if (when!.evaluate(new Facts({ object, call })) !== 'fails') return undefined
  return `The rule "${name}" is also about ${object.name}, which has no arguments, and so denies it: write "tools:" in front of its patterns`
}

function misfit({ when }: RuleModel, object: PolicyObject): string | undefined {
  const typed = typedArguments(schemaOf(object), when!.args.guarded)
  try {
    parseChecked(when!.source, typed.environment)
    return undefined
  } catch (error) {
    if (!(error instanceof BadExpression)) throw error
    return unknownField(error, object, typed) ?? `For ${object.name}: ${error.message}`
  }
}

interface CheckError {
  readonly code?: string
  readonly node?: ASTNode & { readonly left?: { readonly checkedType?: { readonly name: string } } }
}

function unknownField(
  { cause }: BadExpression,
  object: PolicyObject,
  { fields }: TypedArguments,
): string | undefined {
  const { code, node } = (cause ?? {}) as CheckError
  if (code !== 'no_such_key' || !node) return undefined
  const known = fields.get(node.left?.checkedType?.name ?? '')
  const name = fieldOf(node)
  return known && name !== undefined
    ? notAField(serialize(node), object.name, suggest(name, known))
    : undefined
}

function fieldOf({ args }: ASTNode): string | undefined {
  const [, right] = args as [unknown, string | ASTNode]
  const name = typeof right === 'string' ? right : right.args
  return typeof name === 'string' ? name : undefined
}

/** A field that is asked for with `has()` may be missing in some tools, but not in all. */
function unknownGuard({ when }: RuleModel, objects: readonly PolicyObject[]): string | undefined {
  const known = objects.map((object) => typedArguments(schemaOf(object), []).fields.get('Args0'))
  if (known.some((fields) => fields === undefined)) return undefined
  const all = known.flatMap((fields) => fields!)
  const name = when!.args.guarded.find((one) => !all.includes(one))
  if (name === undefined) return undefined
  const names =
    objects.length === 1 ? objects[0]!.name : `any of the ${objects.length} that the rule is about`
  return notAField(`args.${name}`, names, suggest(name, all))
}

function notAField(path: string, owner: string, close: string | undefined): string {
  return `${path} is not a field of ${owner}${close === undefined ? '' : `; did you mean ${close}?`}`
}

/** The arguments of prompts are texts. */
function schemaOf({ kind, item }: PolicyObject): unknown {
  if (kind === 'tools') return item?.inputSchema
  const given = Array.isArray(item?.arguments) ? (item.arguments as JsonObject[]) : []
  return { properties: Object.fromEntries(given.map(({ name }) => [String(name), { type: 'string' }])) }
}
