import {
  forbidsUri,
  forbidsName,
  nameForms,
  readUri,
  toUriPattern,
  type SelectionModel,
} from '../../model/index.ts'
import { toldMessage, type Verdict } from '../../rules/permissions.ts'
import type { CatalogEntry, Cause, RuleReport, TrafficStats } from '../contract.ts'

export interface EntryFacts {
  readonly asked: string
  readonly entry: CatalogEntry
  readonly selection: SelectionModel
  readonly verdict: Verdict
  /** Whether it is the verdict about a call, and not about a line in a list. */
  readonly isCall?: boolean
  /** What each rule says. */
  readonly rules?: readonly RuleReport[]
  /** For people: `you`, or the principal that was asked about. */
  readonly who: string
  readonly staleSince: number | undefined
  readonly staleReason: string | undefined
  readonly stats: TrafficStats
  /** How the last calls failed, each once. */
  readonly lastErrors: readonly string[]
  /** Why the last questions of its target were not passed on or not answered, each once. */
  readonly lastRefusals: readonly string[]
}

const SLOW = 5000
const FEW_CALLS = 5
const MANY_ERRORS = 0.2

/** The causes between the target's lists and the client's. */
export function entryCauses(facts: EntryFacts): Cause[] {
  const { entry } = facts
  const offered: Cause = {
    code: 'offered',
    status: 'ok',
    title: `"${entry.target}" offers the ${entry.kind} "${entry.own}"`,
    target: entry.target,
  }
  const hidden = hiddenCause(facts)
  if (hidden) return [offered, hidden]
  const ruling = { ...facts, target: entry.target, own: entry.own }
  return [offered, ...nameCauses(facts), policyCause(ruling), ...healthCauses(facts)]
}

function hiddenCause({ entry, selection }: EntryFacts): Cause | undefined {
  const { own, target } = entry
  const list = entry.kind === 'tool' ? 'tools' : entry.kind === 'prompt' ? 'prompts' : 'resources'
  switch (entry.hiddenBy) {
    case 'exclude': {
      const pattern = selection.exclude.find((one) =>
        list === 'resources'
          ? forbidsUri(toUriPattern(one), readUri(own))
          : forbidsName(nameForms(one), nameForms(own)),
      )
      return {
        code: 'excluded',
        status: 'problem',
        title: `The configuration excludes "${own}"`,
        detail: `${list}.exclude of "${target}" has the pattern "${pattern}".`,
        fix: 'Take the pattern out, or make it narrower.',
        target,
      }
    }
    case 'include':
      return {
        code: 'not-included',
        status: 'problem',
        title: `The configuration does not include "${own}"`,
        detail: `${list}.include of "${target}" has only: ${selection.include.join(', ')}.`,
        fix: `Add "${own}" to ${list}.include.`,
        target,
      }
    case 'duplicate-uri':
      return {
        code: 'duplicate-uri',
        status: 'problem',
        title: 'Another target offers the same URI, and comes first in the configuration',
        fix: `Give "${target}" a prefix.`,
        target,
      }
    default:
      return undefined
  }
}

function nameCauses({ asked, entry, selection }: EntryFacts): Cause[] {
  const { own, key, target } = entry
  const causes: Cause[] = []
  if (entry.collidesWith !== undefined) {
    causes.push({
      code: 'collision',
      status: 'note',
      title: `"${entry.collidesWith}" has this name already, so it is called "${key}"`,
      fix: `Give "${target}" a prefix of its own, or rename one of the two.`,
      target,
    })
  }
  if (entry.renamed) {
    causes.push({
      code: 'renamed',
      status: 'note',
      title: `The configuration renames "${own}" to "${selection.rename[own]}"`,
      detail: `Clients call it "${key}".`,
      target,
    })
  }
  if (entry.shortened) {
    causes.push({
      code: 'shortened',
      status: 'note',
      title: `Its name is too long for some models, so it is shortened to "${key}"`,
      fix: 'Choose a shorter prefix, rename it, or raise "names.maxLength".',
      target,
    })
  }
  if (asked !== key && causes.length === 0) {
    causes.push({ code: 'renamed', status: 'note', title: `Clients call it "${key}"`, target })
  }
  if (Object.hasOwn(selection.describe, own)) {
    causes.push({
      code: 'described',
      status: 'note',
      title: 'The configuration gives it another description',
      target,
    })
  }
  return causes
}

/** The policy's verdict for a caller about a part of a target. */
export interface Ruling {
  readonly verdict: Verdict
  readonly isCall?: boolean
  readonly who: string
  readonly target: string
  readonly own: string
}

export function policyCause({ verdict, who, target, own, isCall = false }: Ruling): Cause {
  if (verdict.isOutside) return notInView(target, own)
  const what = isCall ? 'this call' : 'it'
  if (verdict.allowed) {
    const rule = verdict.rule === undefined ? 'by default' : `by the rule "${verdict.rule}"`
    return { code: 'allowed', status: 'ok', title: `The policy permits ${what} to ${who}, ${rule}`, target }
  }
  const rule = verdict.rule === undefined ? 'because no rule allows it' : `by the rule "${verdict.rule}"`
  return {
    code: 'denied',
    status: 'problem',
    title: `The policy denies ${what} to ${who}, ${rule}`,
    detail: deniedDetail(verdict, isCall),
    fix:
      verdict.rule === undefined
        ? `Add a rule with "allow": ["${target}/${own}"].`
        : `Change the rule "${verdict.rule}" under "policy.rules".`,
    target,
  }
}

function notInView(target: string, own: string): Cause {
  return {
    code: 'not-in-view',
    status: 'problem',
    title: 'The view does not offer it',
    detail: 'What a view does not offer does not exist there.',
    fix: `Add "${target}/${own}" to "use" of the view.`,
    target,
  }
}

function deniedDetail(verdict: Verdict, isCall: boolean): string {
  const { failure } = verdict
  const message = toldMessage(verdict)
  const failed = failure === undefined ? '' : `Its condition fails, and so denies: ${failure}. `
  if (message !== undefined) return `${failed}The caller is told: ${message}`
  return isCall
    ? `${failed}The caller is told that it does not exist.`
    : `${failed}Denied objects are not listed either: for that client they do not exist.`
}

function healthCauses(facts: EntryFacts): Cause[] {
  const { entry, staleSince, staleReason, stats, lastErrors, lastRefusals } = facts
  const { target } = entry
  const causes: Cause[] = []
  if (entry.stale) {
    const since =
      staleSince === undefined
        ? ''
        : ` of ${new Date(staleSince).toISOString().replace('T', ' ').slice(0, 19)} UTC`
    causes.push({
      code: 'stale',
      status: 'note',
      title: `What clients see is the last list${since}`,
      ...(staleReason !== undefined && { detail: staleReason }),
      fix: `Look the target over: gantry doctor ${target}`,
      target,
    })
  }
  const { p95, calls, errorRate = 0 } = stats
  if (p95 !== undefined && p95 >= SLOW) {
    causes.push({
      code: 'slow',
      status: 'note',
      title: `"${target}" is slow: one call in twenty takes ${(p95 / 1000).toFixed(1)} s or more`,
      fix: 'The page Wire shows which calls, and on which side the time goes.',
      target,
    })
  }
  if (calls >= FEW_CALLS && errorRate >= MANY_ERRORS) {
    causes.push({
      code: 'failing-calls',
      status: 'note',
      title: `${Math.round(errorRate * 100)} % of the calls to "${target}" fail`,
      ...(lastErrors.length > 0 && { detail: `The last errors: ${lastErrors.join(' · ')}` }),
      fix: 'The page Wire shows their errors: filter by status:error,tool-error.',
      target,
    })
  }
  if (lastRefusals.length > 0) {
    causes.push({
      code: 'refused-questions',
      status: 'note',
      title: `Questions of "${target}" were refused`,
      detail: lastRefusals.join(' · '),
      fix: 'The page Wire shows them: filter by status:refused.',
      target,
    })
  }
  return causes
}
