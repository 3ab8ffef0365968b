import {
  matchesWildcard,
  parseObjectPattern,
  suggest,
  uriForms,
  type Condition,
  type ObjectPattern,
  type PolicyModel,
  type RuleModel,
  type PrincipalPattern,
  type WhoModel,
} from '../../model/index.ts'
import { compileApprove, compileWebhook } from './compile-approve.ts'
import type { CompileContext } from './compile-context.ts'
import type { ConfigPath } from '../problem.ts'
import type { RawPolicy, RawPrincipal } from '../raw-config.ts'

type RawRule = NonNullable<RawPolicy['rules']>[number]

export interface PolicyNames {
  readonly targets: readonly string[]
  /** Undefined: not known here. */
  readonly apiKeys: readonly string[] | undefined
  /** The issuers of people. */
  readonly issuers: readonly string[]
  /** The issuers of workloads. */
  readonly workloadIssuers: readonly string[]
}

/** Conditions by the place of their rule, compiled before: that takes a library, which is loaded for it. */
export type Conditions = ReadonlyMap<number, Condition>

export function compilePolicy(
  raw: RawPolicy,
  context: CompileContext,
  names: PolicyNames,
  conditions: Conditions,
): PolicyModel {
  const rules = (raw.rules ?? []).map((rule, index) => ({
    ...compileRule(rule, index, context, names),
    when: conditions.get(index),
    message: rule.message,
    approve: compileApprove(rule, ['policy', 'rules', index], context, names),
    confirm: rule.confirm,
  }))
  const fallback = raw.default ?? 'allow'
  const path: ConfigPath = ['policy', 'rules']
  if (raw.default === undefined && rules.length > 0 && rules.every(forbidsNothing)) {
    context.report({
      severity: 'warning',
      code: 'ineffective-rule',
      path,
      part: 'key',
      message: 'These rules forbid nothing: what they do not mention is allowed',
      fix: 'Add "default": "deny" to "policy" to allow only what the rules allow',
    })
  }
  const isAudit = (index: number): boolean => (raw.rules?.[index]?.mode ?? raw.mode) === 'audit'
  const enforced = rules.filter((_, index) => !isAudit(index))
  const isTried = enforced.length < rules.length || raw.mode === 'audit'
  return {
    fallback: raw.mode === 'audit' ? 'allow' : fallback,
    rules: enforced,
    ...(isTried && { trial: { fallback, rules } }),
    webhook: compileWebhook(raw.webhook, context),
  }
}

function forbidsNothing({ deny, approve, confirm }: RuleModel): boolean {
  return deny.length === 0 && !approve && !confirm
}

function compileRule(raw: RawRule, index: number, context: CompileContext, names: PolicyNames): RuleModel {
  const path: ConfigPath = ['policy', 'rules', index]
  const compilePatterns = (key: 'allow' | 'deny') =>
    (raw[key] ?? []).map((text, at) => {
      const pattern = parseObjectPattern(text)
      if (pattern.target.includes(':')) {
        reportKind(pattern.target, [...path, key, at], context)
        return pattern
      }
      warnUnknown(
        { wanted: pattern.target, known: names.targets, what: 'target' },
        [...path, key, at],
        context,
      )
      warnAmbiguous(pattern, [...path, key, at], context)
      return pattern
    })
  return {
    name: raw.name ?? `rule ${index + 1}`,
    who: compileWho(raw.who, [...path, 'who'], context, names),
    allow: compilePatterns('allow'),
    deny: compilePatterns('deny'),
  }
}

export function compileWho(
  raw: RawRule['who'],
  path: ConfigPath,
  context: CompileContext,
  names: PolicyNames,
): WhoModel {
  const known = names.apiKeys
  raw?.apiKeys?.forEach((wanted, at) => {
    if (known) warnUnknown({ wanted, known, what: 'API key' }, [...path, 'apiKeys', at], context)
  })
  return {
    principals: compilePrincipals(raw?.principals ?? [], [...path, 'principals'], context, names),
    scopes: raw?.scopes ?? [],
    apiKeys: raw?.apiKeys ?? [],
  }
}

/** Names of targets have no colon: this is a kind that is not there, and the rule would hold for nothing. */
function reportKind(target: string, path: ConfigPath, context: CompileContext): void {
  context.report({
    code: 'invalid-value',
    path,
    message: `"${target}" names no target`,
    fix: 'Write [KIND:]TARGET/NAME, where KIND is tools, prompts, resources or methods',
  })
}

/** A URI that servers can read in several ways is never sent, so a rule about it hardly says what is meant. */
function warnAmbiguous({ kind, name }: ObjectPattern, path: ConfigPath, context: CompileContext): void {
  const isUri = kind === 'resources' || (kind === undefined && name.includes(':'))
  if (!isUri) return
  const { exact, isAmbiguous } = uriForms(name, true)
  if (!isAmbiguous) return
  context.report({
    severity: 'warning',
    code: 'ineffective-rule',
    path,
    message: `"${name}" can be read in several ways`,
    fix: `Write it without dots that lead above its beginning, double escapes and the like: "${exact}"`,
  })
}

/** A rule about nothing is most likely a slip of the pen, and a dangerous one when it should forbid. */
export function warnUnknown(
  { wanted, known, what }: { wanted: string; known: readonly string[]; what: string },
  path: ConfigPath,
  context: CompileContext,
): void {
  if (/^\*+$/.test(wanted) || known.some((name) => matchesWildcard(wanted, name))) return
  const close = suggest(wanted, known)
  context.report({
    severity: 'warning',
    code: 'ineffective-rule',
    path,
    message: `No ${what} is called "${wanted}"`,
    fix: close ? `Did you mean "${close}"?` : `Known: ${known.join(', ') || 'none'}`,
  })
}

/** Whom a rule is about, field by field. A name that fits two issuers is refused instead of guessed. */
function compilePrincipals(
  raw: readonly RawPrincipal[],
  path: ConfigPath,
  context: CompileContext,
  { issuers, workloadIssuers }: PolicyNames,
): PrincipalPattern[] {
  return raw.map((one, index) => {
    const at = [...path, index]
    const { kind = 'person', issuer, subject } = typeof one === 'string' ? { subject: one } : one
    if (typeof one === 'string') reportOldForms(one, at, context)
    if (issuer === undefined) return { kind, issuer: onlyIssuer(issuers, at, context), subject }
    reportUnknownIssuer(issuer, [...issuers, ...workloadIssuers], at, context)
    return { kind, issuer, subject }
  })
}

/** A rule that silently concerns nobody is dangerous when it should forbid. */
function reportOldForms(text: string, path: ConfigPath, context: CompileContext): void {
  if (text.startsWith('key:')) {
    context.report({
      code: 'invalid-value',
      path,
      message: `"${text}" is the subject of a person here, and not an API key`,
      fix: `Put "${text.slice('key:'.length)}" into "apiKeys". For a person write { "subject": "${text}" }`,
    })
  } else if (/^\S*:\/\/\S* /.test(text)) {
    const [issuer, ...rest] = text.split(' ')
    context.report({
      code: 'invalid-value',
      path,
      message: `"${text}" holds an issuer and a subject in one text`,
      fix: `Write { "issuer": "${issuer}", "subject": "${rest.join(' ')}" }`,
    })
  }
}

function onlyIssuer(issuers: readonly string[], path: ConfigPath, context: CompileContext): string {
  if (issuers.length > 1) {
    context.report({
      code: 'invalid-value',
      path,
      message: 'Several issuers may have this subject',
      fix: `Write { "issuer": …, "subject": … } with one of: ${issuers.join(', ')}`,
    })
  } else if (issuers.length === 0) {
    context.report({
      severity: 'warning',
      code: 'ineffective-rule',
      path,
      message: 'Only tokens name people, and no tokens are accepted',
      fix: 'Configure "auth.bearer", or name API keys in "apiKeys"',
    })
  }
  return issuers[0] ?? ''
}

function reportUnknownIssuer(
  issuer: string,
  issuers: readonly string[],
  path: ConfigPath,
  context: CompileContext,
): void {
  if (issuers.includes(issuer)) return
  context.report({
    severity: 'warning',
    code: 'ineffective-rule',
    path: [...path, 'issuer'],
    message: `No tokens of ${issuer} are accepted`,
    fix: issuers.length > 0 ? `Known: ${issuers.join(', ')}` : 'Configure "auth.bearer"',
  })
}
