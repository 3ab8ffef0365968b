import type { RuleModel, Truth } from '../model/index.ts'
import type { Concern } from './concerns.ts'
import type { Mention, Mentions, Part, RuleIndex } from './rule-index.ts'

export interface Verdict {
  readonly allowed: boolean
  /** The rule that decided; undefined when the default did. */
  readonly rule: string | undefined
  /** The view does not offer it, so no rule was asked. */
  readonly isOutside?: boolean | undefined
  /** What the caller is told; undefined: as if it did not exist. */
  readonly message?: string | undefined
  /** Why the condition of the rule has no value. */
  readonly failure?: string | undefined
  /** Rules that want an approval or a confirmation before the call is made; undefined when no rule does. */
  readonly holds?: readonly RuleModel[] | undefined
}

/** The rule speaks of something else than what is wrong with such a request. */
const UNDECIDED =
  '(That could not be decided for this request: an argument may be missing, or of another type than expected.)'

/** What a caller is told whom a rule with a message denies something. */
export function toldMessage({ message, failure }: Verdict): string | undefined {
  return message === undefined || failure === undefined ? message : `${message} ${UNDECIDED}`
}

/** A rule that can decide about an object for a caller. */
export interface Relevant extends Mention {
  /** Whether it may give the caller something, and not only take something away. */
  readonly gives: boolean
  /** What its condition says of every request of the caller; undefined: that depends on the request. */
  readonly truth: Truth | undefined
}

/** The rules that can decide about an object for a caller. */
export interface RelevantRules {
  readonly rules: readonly Relevant[]
  /** What they say before there is a call, where that is always the same. */
  listed: Verdict | undefined
}

/** What the rules have to do with a caller is the same for every request with its credentials, so it is kept. */
export class CallerMemory {
  isOpen: boolean | undefined
  readonly concerns: Map<RuleModel, Concern> = new Map()
  /** What conditions about credentials alone have said. */
  readonly truths: Map<RuleModel, Truth> = new Map()
  readonly relevant: WeakMap<Mentions, RelevantRules> = new WeakMap()
  /** Whether nothing of a kind at a target is kept from the caller. */
  readonly mayCallAll: WeakMap<readonly Part[], boolean> = new WeakMap()
}

const NOBODY = {}
const memories = new WeakMap<RuleIndex, WeakMap<object, CallerMemory>>()

/** What was found out about a caller with these credentials under some rules. */
export function memoryOf(rules: RuleIndex, auth: object | undefined): CallerMemory {
  let known = memories.get(rules)
  if (!known) {
    known = new WeakMap()
    memories.set(rules, known)
  }
  const key = auth ?? NOBODY
  let memory = known.get(key)
  if (!memory) {
    memory = new CallerMemory()
    known.set(key, memory)
  }
  return memory
}
