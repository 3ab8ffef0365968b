import {
  forbidsName,
  forbidsUri,
  matchesWildcard,
  nameForms,
  permitsName,
  permitsUri,
  readUri,
  type ObjectKind,
  type ObjectPattern,
  type RuleModel,
  type RuleSet,
  type Truth,
} from '../model/index.ts'
import { Facts, type PolicyObject } from './facts.ts'
import { ObjectMemory } from './object-memory.ts'
import { cutShort, Work } from './work.ts'

/** A rule that mentions an object, and how. */
export interface Mention {
  readonly rule: RuleModel
  readonly denies: boolean
  readonly allows: boolean
  /** Whether it wants an approval or a confirmation first, in whatever spelling the object is named. */
  readonly holds: boolean
  /** What its condition says before there is a call, where that is the same for all callers. */
  readonly listed: Truth | undefined
}

/** What the rules say of an object to all callers alike. */
export interface Mentions {
  /** Whether it belongs to the endpoint at all. */
  readonly isWithin: boolean
  readonly rules: readonly Mention[]
}

/** A rule that mentions something of a kind at a target. */
export interface Part {
  readonly rule: RuleModel
  /** The patterns of the rule. */
  readonly deny: readonly ObjectPattern[]
  readonly allow: readonly ObjectPattern[]
}

/** Which rules mention an object does not depend on the caller, so it is found out once. */
export class RuleIndex {
  /** Nothing is kept from anybody: all callers see the same. */
  readonly isCommon: boolean
  /** Whether any condition is about the program that a caller uses. It can be a different program in each request. */
  readonly readsClients: boolean
  /** Whether any condition counts calls. */
  readonly isCounting: boolean
  /** Whether any rule wants approvals. */
  readonly isHolding: boolean
  readonly #rules: readonly RuleModel[]
  readonly #within: RuleSet['within']
  readonly #mentions = new ObjectMemory<Mentions>()
  readonly #parts = new ObjectMemory<readonly Part[]>()

  constructor({ rules, fallback, within }: RuleSet) {
    this.#rules = rules
    this.#within = within
    this.isCommon = fallback === 'allow' && !within && !rules.some(canDeny)
    this.readsClients = rules.some(({ when }) => when?.reads.includes('client'))
    this.isHolding = rules.some(({ approve }) => approve !== undefined)
    this.isCounting = rules.some(({ when }) => when !== undefined && when.windows.length > 0)
  }

  mentions(object: PolicyObject): Mentions {
    return this.#mentions.of(object.target, object, () => new Work().pay(() => this.#mentionsOf(object)))
  }

  #mentionsOf(object: PolicyObject): Mentions {
    const rules = this.#rules.flatMap((rule) => {
      const denies = rule.deny.some((pattern) => forbids(pattern, object))
      const allows = rule.allow.some((pattern) => permits(pattern, object))
      const holds = asksFirst(rule) && rule.allow.some((pattern) => forbids(pattern, object))
      if (!denies && !allows && !holds) return []
      return [{ rule, denies, allows, holds, listed: listedTruth(rule, object) }]
    })
    return { rules, isWithin: this.#within?.some((pattern) => permits(pattern, object)) ?? true }
  }

  parts(target: string, kind: ObjectKind): readonly Part[] {
    return this.#parts.of(target, { kind, name: '' }, () =>
      this.#rules.flatMap((rule) => {
        const deny = rule.deny.filter((one) => isAbout(one, target, kind, isLike))
        const allow = rule.allow.filter((one) => isAbout(one, target, kind))
        return deny.length + allow.length > 0 ? [{ rule, deny, allow }] : []
      }),
    )
  }
}

function listedTruth({ when }: RuleModel, object: PolicyObject): Truth | undefined {
  const isForAll = when?.reads.every((source) => source === 'object' || source === 'call')
  if (!when || !isForAll) return undefined
  const before = cutShort()
  const truth = when.evaluate(new Facts({ object }))
  return cutShort() === before ? truth : undefined
}

const indexes = new WeakMap<RuleSet, RuleIndex>()

export function indexOf(rules: RuleSet): RuleIndex {
  let index = indexes.get(rules)
  if (!index) {
    index = new RuleIndex(rules)
    indexes.set(rules, index)
  }
  return index
}

/** Whether a rule can keep anything from anybody. A condition that fails does, whatever the rule is for. */
export function canDeny({ deny, allow, when }: RuleModel): boolean {
  return deny.length > 0 || (when !== undefined && allow.length > 0)
}

/** Whether a rule lets calls wait until a person has agreed to them. */
export function asksFirst({ approve, confirm }: RuleModel): boolean {
  return approve !== undefined || confirm === true
}

/** Whether a pattern is about an object, in whatever spelling: for rules that take something away. */
export function forbids(pattern: ObjectPattern, object: PolicyObject): boolean {
  if (!isAbout(pattern, object.target, object.kind, isLike)) return false
  if (object.kind === 'resources') return isAll(pattern) || forbidsUri(pattern.uri, readUri(object.name))
  return isAll(pattern) || forbidsName(pattern.forms, nameForms(object.name))
}

/** Whether a pattern names an object exactly: for rules that give something. */
export function permits(pattern: ObjectPattern, object: PolicyObject): boolean {
  if (!isAbout(pattern, object.target, object.kind)) return false
  if (object.kind === 'resources') return isAll(pattern) || permitsUri(pattern.uri, readUri(object.name))
  // Permission for everything that is listed says nothing about methods that are not.
  if (object.kind === 'methods' && pattern.kind === undefined) return false
  return isAll(pattern) || permitsName(pattern.forms, nameForms(object.name))
}

/** How a pattern and a name are compared: as they are written, or (`isLike`) so that no spelling escapes a rule. */
export type Compare = (pattern: string, name: string) => boolean

export function isLike(pattern: string, name: string): boolean {
  return matchesWildcard(pattern, name) || forbidsName(nameForms(pattern), nameForms(name))
}

export function isAbout(
  { kind, target }: ObjectPattern,
  name: string,
  wanted: ObjectKind,
  matches: Compare = matchesWildcard,
): boolean {
  return (kind === undefined || kind === wanted) && matches(target, name)
}

export function isAll({ name }: ObjectPattern): boolean {
  return /^\*+$/.test(name)
}
