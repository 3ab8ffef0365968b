import type { JsonObject } from '@gantry/mcp/exchange'
import type { RuleModel, RuleSet, SourcePlace } from '../../model/index.ts'
import { Facts, KnownCall, type PolicyObject } from '../facts.ts'
import { indexOf } from '../rule-index.ts'
import { conditionMisfit, unknownGuard } from './schema-misfit.ts'

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
export const MOST_CHECKS = 2_000

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
      const message =
        object.kind === 'resources' ? withoutArguments(rule, object) : conditionMisfit(rule.when!, object)
      if (message !== undefined) messages.push(message)
      else if (object.kind !== 'resources') objects.set(rule, [...(objects.get(rule) ?? []), object])
    }
  }
  for (const [rule, about] of objects) {
    const message = found.get(rule)!.length === 0 ? unknownGuard(rule.when!, about) : undefined
    if (message !== undefined) found.get(rule)!.push(message)
  }
  return reading.flatMap((rule) =>
    found.get(rule)!.map((message) => ({ rule: rule.name, place: rule.when?.place, message })),
  )
}

/** What a target lists, as rules know it. */
export function objectsOf({ target, tools, prompts, resources }: Offer): PolicyObject[] {
  const objects = (kind: PolicyObject['kind'], items: readonly JsonObject[], key: string): PolicyObject[] =>
    items.map((item) => ({ kind, target, name: String(item[key]), item }))
  return [
    ...objects('tools', tools, 'name'),
    ...objects('prompts', prompts, 'name'),
    ...objects('resources', resources, 'uri'),
  ]
}

/** `tool == "other" && …` says by itself that it is not about this tool. */
function cannotHold({ when }: RuleModel, object: PolicyObject): boolean {
  return when!.evaluate(new Facts({ object })) === 'no'
}

/** Resources have no arguments: a condition that needs some denies them all. */
function withoutArguments({ when, name }: RuleModel, object: PolicyObject): string | undefined {
  const call = new KnownCall({ args: {}, now: new Date(), count: () => 0 })
  if (when!.evaluate(new Facts({ object, call })) !== 'fails') return undefined
  return `The rule "${name}" is also about ${object.name}, which has no arguments, and so denies it: write "tools:" in front of its patterns`
}
