import {
  coversPattern,
  type ObjectKind,
  type ObjectPattern,
  type RuleModel,
  type RuleSet,
  type Truth,
} from '../model/index.ts'
import {
  type CallerMemory,
  memoryOf,
  type Relevant,
  type RelevantRules,
  type Verdict,
} from './caller-memory.ts'
import { type Concern, concernOf } from './concerns.ts'
import { KnownCaller, type Caller, type KnownObject, type PolicyCall, type PolicyObject } from './facts.ts'
import {
  canDeny,
  indexOf,
  isAbout,
  isAll,
  type Mentions,
  type Part,
  type RuleIndex,
  permits,
} from './rule-index.ts'
import { RuleQuestion } from './rule-question.ts'
import { cutShort, Work } from './work.ts'

export { toldMessage, type Verdict } from './caller-memory.ts'

/** What one rule says of a request. */
export interface RuleVerdict {
  readonly rule: RuleModel
  /** `other`: it is about other callers or other objects. `depends`: on what is not known here. */
  readonly says:
    | 'allows'
    | 'wants approval'
    | 'wants confirmation'
    | 'denies'
    | 'does not hold'
    | 'depends'
    | 'fails'
    | 'other'
  readonly failure?: string | undefined
}

const LISTED_KINDS = ['tools', 'prompts', 'resources'] as const
const EVERY_KIND = [...LISTED_KINDS, 'methods'] as const
const OUTSIDE: Verdict = { allowed: false, rule: undefined, isOutside: true }
const ALLOWED: Verdict = { allowed: true, rule: undefined }
const NO_WINDOWS: readonly number[] = []

/**
 * What one caller may see and use. Deny beats allow; the default decides about what no rule mentions. A condition that
 * has no value denies. Without a call, what only a call could tell keeps nothing from the caller.
 */
export class Permissions {
  /** Nothing is kept from this caller. */
  readonly isOpen: boolean
  readonly #set: RuleSet
  readonly #caller: KnownCaller
  readonly #subject: Caller['auth']
  readonly #index: RuleIndex
  readonly #memory: CallerMemory

  constructor(set: RuleSet, caller: Caller) {
    this.#set = set
    this.#index = indexOf(set)
    this.#caller = new KnownCaller(caller)
    this.#subject = caller.auth
    this.#memory = memoryOf(this.#index, caller.auth)
    this.#memory.isOpen ??= this.#keepsNothing()
    this.isOpen = this.#memory.isOpen
  }

  #keepsNothing(): boolean {
    const set = this.#set
    return (
      set.fallback === 'allow' &&
      !set.within &&
      !set.rules.some((rule) => canDeny(rule) && this.#concern(rule) !== 'not')
    )
  }

  /** Nothing is kept from anybody: all callers see the same. */
  get isCommon(): boolean {
    return this.#index.isCommon
  }

  /** Whether requests with the same credentials can differ in what is kept from them. */
  get readsClients(): boolean {
    return this.#index.readsClients
  }

  /** Whether any call has to wait for approval. */
  get isHolding(): boolean {
    return this.#index.isHolding
  }

  /** Whether it is in lists, announcements and completions for the caller: it could be called somehow. */
  maySee(object: PolicyObject): boolean {
    return this.isOpen || this.verdict(object).allowed
  }

  /** Whether this call of it is permitted, or without a call, any; with the rule that decided. */
  verdict(object: PolicyObject, call?: PolicyCall): Verdict {
    const mentions = this.#index.mentions(object)
    if (!mentions.isWithin) return OUTSIDE
    const known = this.#memory.relevant.get(mentions)
    const relevant = known ?? (call?.work ?? new Work()).pay(() => this.#relevantRules(mentions, object))
    if (call) return this.#decide(relevant.rules, object, call)
    if (relevant.listed) return relevant.listed
    const before = cutShort()
    const verdict = this.#decide(relevant.rules, object, undefined)
    // What a method may do depends on more rules than the rules that mention it.
    const isSettled = object.kind !== 'methods' && relevant.rules.every(isSettledInLists)
    if (isSettled && cutShort() === before) relevant.listed = verdict
    return verdict
  }

  #decide(rules: readonly Relevant[], object: PolicyObject, call: PolicyCall | undefined): Verdict {
    const asked = new RuleQuestion(this.#caller, object, call)
    let allowing: RuleModel | undefined
    let unmet: RuleModel | undefined
    const holds: RuleModel[] = []
    for (const { rule, denies, gives, holds: isHeld, listed, truth: known } of rules) {
      const truth = known ?? (call ? undefined : listed) ?? asked.answer(rule.when!)
      if (truth === 'fails') return failureOf(rule, asked)
      if (denies && truth === 'yes') return { allowed: false, rule: rule.name, message: rule.message }
      if (isHeld && truth === 'yes') holds.push(rule)
      if (!gives) continue
      if (truth === 'no') unmet ??= rule.message === undefined ? undefined : rule
      else allowing ??= rule
    }
    if (allowing) return held({ allowed: true, rule: allowing.name }, holds)
    if (object.kind === 'methods') return held(this.#unmentionedMethod(object, unmet), holds)
    if (this.#set.fallback === 'allow') return held(ALLOWED, holds)
    return { allowed: false, rule: undefined, message: unmet?.message }
  }

  /** The rules without those that are about other callers or say nothing about this caller. */
  #relevantRules(mentions: Mentions, object: PolicyObject): RelevantRules {
    const before = cutShort()
    const rules: Relevant[] = []
    for (const mention of mentions.rules) {
      const { rule, denies, allows, holds } = mention
      const concern = this.#concern(rule)
      if (concern === 'not' || (concern === 'denies' && !denies && !holds)) continue
      const gives = allows && concern === 'fully'
      const truth = this.#lastingTruth(rule, object)
      if (truth !== 'no' || gives) rules.push({ ...mention, gives, truth })
    }
    const relevant = { rules, listed: undefined }
    if (cutShort() === before) this.#memory.relevant.set(mentions, relevant)
    return relevant
  }

  /** Whether a rule allows a method by naming methods, and not merely everything at its target. */
  namesMethod(object: PolicyObject, call?: PolicyCall): boolean {
    const isNamed = (one: ObjectPattern): boolean => one.kind === 'methods' && permits(one, object)
    const isNaming = (rule: RuleModel): boolean => {
      if (this.#concern(rule) !== 'fully' || !rule.allow.some(isNamed)) return false
      const truth = this.#truthOf(rule, new RuleQuestion(this.#caller, object, call))
      return truth === 'yes' || (truth === 'maybe' && !call)
    }
    return (call?.work ?? new Work()).pay(() => this.#set.rules.some(isNaming))
  }

  /** What each rule says, for explanations. */
  explain(object: PolicyObject, call?: PolicyCall): RuleVerdict[] {
    return new Work().pay(() => this.#explain(object, call))
  }

  #explain(object: PolicyObject, call: PolicyCall | undefined): RuleVerdict[] {
    const asked = new RuleQuestion(this.#caller, object, call)
    const mentions = new Map(this.#index.mentions(object).rules.map((one) => [one.rule, one]))
    return this.#set.rules.map((rule): RuleVerdict => {
      const mention = mentions.get(rule)
      const concern = this.#concern(rule)
      if (!mention || concern === 'not' || (concern === 'denies' && !mention.denies && !mention.holds)) {
        return { rule, says: 'other' }
      }
      const truth = this.#truthOf(rule, asked)
      if (truth === 'fails') return { rule, says: 'fails', failure: failureOf(rule, asked).failure }
      if (truth !== 'yes') return { rule, says: truth === 'no' ? 'does not hold' : 'depends' }
      if (mention.denies) return { rule, says: 'denies' }
      if (mention.holds) return { rule, says: rule.approve ? 'wants approval' : 'wants confirmation' }
      return { rule, says: 'allows' }
    })
  }

  /** The windows in which the rules about an object count calls; empty when no rule counts. */
  windows(object: PolicyObject): readonly number[] {
    if (!this.#index.isCounting) return NO_WINDOWS
    const counting = this.#index.mentions(object).rules.filter(({ rule }) => this.#concern(rule) !== 'not')
    return [...new Set(counting.flatMap(({ rule }) => rule.when?.windows ?? []))]
  }

  /** Whether no rule keeps anything of that kind at a target from the caller. */
  mayCallAll(target: string, kind: ObjectKind): boolean {
    if (this.isOpen) return true
    const parts = this.#index.parts(target, kind)
    const known = this.#memory.mayCallAll.get(parts)
    if (known !== undefined) return known
    const before = cutShort()
    const mayAll = new Work().pay(() => this.#mayCallAll(target, kind, parts))
    if (cutShort() === before && !parts.some(({ rule }) => rule.when?.reads.includes('client'))) {
      this.#memory.mayCallAll.set(parts, mayAll)
    }
    return mayAll
  }

  #mayCallAll(target: string, kind: ObjectKind, parts: readonly Part[]): boolean {
    const { within } = this.#set
    if (within && !within.some((one) => isAbout(one, target, kind) && isAll(one))) return false
    const asked = new RuleQuestion(this.#caller, { kind, target })
    let isGranted = this.#set.fallback === 'allow'
    for (const { rule, deny, allow } of parts) {
      const concern = this.#concern(rule)
      if (concern === 'not') continue
      const truth = this.#truthOf(rule, asked)
      const isAllowing = concern === 'fully' && allow.length > 0
      if (deny.length > 0 && truth !== 'no') return false
      if (isAllowing && (truth === 'maybe' || truth === 'fails')) return false
      isGranted ||= isAllowing && truth === 'yes' && allow.some(isAll)
    }
    return isGranted
  }

  /** Whether the caller could use anything at all of a target, or anything of a kind there. */
  mayCallSome(target: string, kind?: ObjectKind): boolean {
    if (this.isOpen) return true
    const kinds = kind === undefined ? EVERY_KIND : [kind]
    return new Work().pay(() => kinds.some((one) => this.#mayCallSome(target, one)))
  }

  #mayCallSome(target: string, kind: ObjectKind): boolean {
    const asked = new RuleQuestion(this.#caller, { kind, target })
    const denied: ObjectPattern[] = []
    const allowed: ObjectPattern[] = []
    for (const { rule, deny, allow } of this.#index.parts(target, kind)) {
      const concern = this.#concern(rule)
      if (concern === 'not') continue
      const truth = this.#truthOf(rule, asked)
      if (truth === 'yes' || truth === 'fails') denied.push(...deny)
      if (concern !== 'fully') continue
      if (truth === 'fails') denied.push(...allow)
      if (truth === 'yes' || truth === 'maybe') allowed.push(...allow)
    }
    const isLeft = ({ forms }: ObjectPattern): boolean =>
      !denied.some((pattern) => coversPattern(pattern.forms.loose, forms.loose))
    // Nothing lists a target's methods, so only a rule that names them shows that there are any.
    const isNamed = ({ kind: named }: ObjectPattern): boolean => kind !== 'methods' || named === kind
    const { within, fallback } = this.#set
    const isThere = (one: ObjectPattern): boolean => isNamed(one) && isLeft(one)
    if (within && !within.some((one) => isAbout(one, target, kind) && isThere(one))) return false
    if (fallback === 'allow' && kind !== 'methods') return !denied.some(isAll)
    return allowed.some(isThere)
  }

  /** An unknown method can do anything at its target, so it is only for callers who may do anything there. */
  #unmentionedMethod({ target }: PolicyObject, unmet: RuleModel | undefined): Verdict {
    const mayAnything = LISTED_KINDS.every((kind) => this.mayCallAll(target, kind))
    return mayAnything ? ALLOWED : { allowed: false, rule: undefined, message: unmet?.message }
  }

  #truthOf(rule: RuleModel, asked: RuleQuestion): Truth {
    return this.#lastingTruth(rule, asked.object) ?? asked.answer(rule.when!)
  }

  /** What a condition about credentials alone says; undefined when it is about more. */
  #lastingTruth(rule: RuleModel, object: KnownObject): Truth | undefined {
    const { when } = rule
    if (!when) return 'yes'
    if (when.reads.some((source) => source !== 'auth')) return undefined
    let truth = this.#memory.truths.get(rule)
    if (truth === undefined) {
      const before = cutShort()
      truth = new RuleQuestion(this.#caller, object).answer(when)
      if (cutShort() === before) this.#memory.truths.set(rule, truth)
    }
    return truth
  }

  #concern(rule: RuleModel): Concern {
    let concern = this.#memory.concerns.get(rule)
    if (concern === undefined) {
      concern = concernOf(rule, this.#subject)
      this.#memory.concerns.set(rule, concern)
    }
    return concern
  }
}

/** Whether what a rule says before there is a call is the same for every request of a caller. */
function isSettledInLists({ rule, truth }: Relevant): boolean {
  const { reads } = rule.when ?? { reads: [] }
  return truth !== undefined || !reads.some((source) => source === 'client' || source === 'item')
}

/** A call that the default allows waits too. */
function held(verdict: Verdict, holds: readonly RuleModel[]): Verdict {
  return verdict.allowed && holds.length > 0 ? { allowed: true, rule: holds[0]!.name, holds } : verdict
}

function failureOf(rule: RuleModel, { facts }: RuleQuestion): Verdict {
  return { allowed: false, rule: rule.name, message: rule.message, failure: rule.when!.whyItFails(facts) }
}

const EVERYTHING = new Permissions({ fallback: 'allow', rules: [] }, {})

/** What the caller of an exchange may see and use. */
export function permissionsOf(set: RuleSet, caller: Caller): Permissions {
  // Most gateways have no rules: their calls pay nothing.
  if (set.rules.length === 0 && set.fallback === 'allow' && !set.within) return EVERYTHING
  return new Permissions(set, caller)
}
