import {
  parseObjectPattern,
  uriForms,
  type Condition,
  type ObjectPattern,
  type PolicyModel,
  type PolicySettings,
  type PrincipalPattern,
  type RawPolicy,
  type RuleModel,
  type RuleSettings,
  type WhoModel,
} from '../../model/index.ts'
import { compileApprove, compileWebhook } from './compile-approve.ts'
import { warnUnknown } from './compile-patterns.ts'
import type { Place, Section } from './section.ts'

type Who = NonNullable<RuleSettings['who']>
type Principal = NonNullable<Who['principals']>[number]

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
  section: Section<PolicySettings>,
  raw: RawPolicy | undefined,
  names: PolicyNames,
  conditions: Conditions,
): PolicyModel {
  const { default: fallback, mode, webhook } = section.value
  const rules = section
    .at('rules')
    .each()
    .map((rule, index) => ({
      ...compileRule(rule, index, names),
      when: conditions.get(index),
      message: rule.value.message,
      approve: compileApprove(rule, names),
      confirm: rule.value.confirm,
    }))
  warnTwins(rules, section)
  if (raw?.default === undefined && rules.length > 0 && rules.every(forbidsNothing)) {
    section.report(
      {
        severity: 'warning',
        code: 'ineffective-rule',
        part: 'key',
        message: 'These rules forbid nothing: what they do not mention is allowed',
        fix: 'Add "default": "deny" to "policy" to allow only what the rules allow',
      },
      'rules',
    )
  }
  const enforced = rules.filter((_, index) => (section.value.rules[index]!.mode ?? mode) === 'enforce')
  const isTried = enforced.length < rules.length || mode === 'audit'
  return {
    fallback: mode === 'audit' ? 'allow' : fallback,
    rules: enforced,
    ...(isTried && { trial: { fallback, rules } }),
    webhook: webhook && compileWebhook(section.at('webhook')),
  }
}

/** Verdicts are counted, explained and recorded by the name of their rule. */
function warnTwins(rules: readonly RuleModel[], place: Place): void {
  rules.forEach(({ name }, index) => {
    if (rules.findIndex((other) => other.name === name) === index) return
    const message = `Two rules are called "${name}", so nobody can tell which of them decided`
    const fix = 'Give each rule a name of its own'
    place.report({ severity: 'warning', code: 'duplicate-name', message, fix }, 'rules', index)
  })
}

function forbidsNothing({ deny, approve, confirm }: RuleModel): boolean {
  return deny.length === 0 && !approve && !confirm
}

function compileRule(section: Section<RuleSettings>, index: number, names: PolicyNames): RuleModel {
  const { name = `rule ${index + 1}`, allow, deny } = section.value
  return {
    name,
    who: compileWho(section.value.who && section.at('who'), names),
    allow: allow
      ? section
          .at('allow')
          .each()
          .map((text) => compilePattern(text, names))
      : [],
    deny: deny
      ? section
          .at('deny')
          .each()
          .map((text) => compilePattern(text, names))
      : [],
  }
}

function compilePattern(section: Section<string>, { targets }: PolicyNames): ObjectPattern {
  const pattern = parseObjectPattern(section.value)
  if (pattern.target.includes(':')) reportKind(pattern.target, section)
  else {
    warnUnknown({ wanted: pattern.target, known: targets, what: 'target' }, section)
    warnAmbiguous(pattern, section)
  }
  return pattern
}

/** The callers of a rule or a view. */
export function compileWho(who: Section<Who> | undefined, names: PolicyNames): WhoModel {
  if (!who) return { principals: [], scopes: [], apiKeys: [] }
  const { principals, scopes = [], apiKeys = [] } = who.value
  const known = names.apiKeys
  if (known) {
    apiKeys.forEach((wanted, at) => {
      warnUnknown({ wanted, known, what: 'API key' }, who.at('apiKeys').at(at))
    })
  }
  return { principals: principals ? compilePrincipals(who.at('principals'), names) : [], scopes, apiKeys }
}

/** Names of targets have no colon: this is a kind that does not exist, and the rule would match nothing. */
function reportKind(target: string, section: Section<string>): void {
  section.report({
    code: 'invalid-value',
    message: `"${target}" names no target`,
    fix: 'Write [KIND:]TARGET/NAME, where KIND is tools, prompts, resources or methods',
  })
}

/** A URI that servers can read in several ways is never sent, so a rule about it hardly says what is meant. */
function warnAmbiguous({ kind, name }: ObjectPattern, section: Section<string>): void {
  const isUri = kind === 'resources' || (kind === undefined && name.includes(':'))
  if (!isUri) return
  const { exact, isAmbiguous } = uriForms(name, true)
  if (!isAmbiguous) return
  section.report({
    severity: 'warning',
    code: 'ineffective-rule',
    message: `"${name}" can be read in several ways`,
    fix: `Write it without dots that lead above its beginning, double escapes and the like: "${exact}"`,
  })
}

/** The callers of a rule, field by field. A name that fits two issuers is refused instead of guessed. */
function compilePrincipals(
  section: Section<readonly Principal[]>,
  { issuers, workloadIssuers }: PolicyNames,
): PrincipalPattern[] {
  return section.each().map((one) => {
    const { value } = one
    if (typeof value === 'string') reportOldForms(value, one)
    const principal = typeof value === 'string' ? ({ kind: 'person', subject: value } as const) : value
    const { kind, issuer, subject }: { kind: PrincipalPattern['kind']; issuer?: string; subject: string } =
      principal
    if (issuer === undefined) return { kind, issuer: onlyIssuer(issuers, one), subject }
    reportUnknownIssuer(issuer, [...issuers, ...workloadIssuers], one)
    return { kind, issuer, subject }
  })
}

/** A rule that matches no caller is dangerous when it should forbid. */
function reportOldForms(text: string, section: Section<Principal>): void {
  if (text.startsWith('key:')) {
    section.report({
      code: 'invalid-value',
      message: `"${text}" is the subject of a person here, and not an API key`,
      fix: `Put "${text.slice('key:'.length)}" into "apiKeys". For a person write { "subject": "${text}" }`,
    })
  } else if (/^\S*:\/\/\S* /.test(text)) {
    const [issuer, ...rest] = text.split(' ')
    section.report({
      code: 'invalid-value',
      message: `"${text}" holds an issuer and a subject in one text`,
      fix: `Write { "issuer": "${issuer}", "subject": "${rest.join(' ')}" }`,
    })
  }
}

function onlyIssuer(issuers: readonly string[], section: Section<Principal>): string {
  if (issuers.length > 1) {
    section.report({
      code: 'invalid-value',
      message: 'Several issuers may have this subject',
      fix: `Write { "issuer": …, "subject": … } with one of: ${issuers.join(', ')}`,
    })
  } else if (issuers.length === 0) {
    section.report({
      severity: 'warning',
      code: 'ineffective-rule',
      message: 'Only tokens name people, and no tokens are accepted',
      fix: 'Configure "auth.bearer", or name API keys in "apiKeys"',
    })
  }
  return issuers[0] ?? ''
}

function reportUnknownIssuer(issuer: string, issuers: readonly string[], section: Section<Principal>): void {
  if (issuers.includes(issuer)) return
  const message = `No tokens of ${issuer} are accepted`
  const fix = issuers.length > 0 ? `Known: ${issuers.join(', ')}` : 'Configure "auth.bearer"'
  section.report({ severity: 'warning', code: 'ineffective-rule', message, fix }, 'issuer')
}
