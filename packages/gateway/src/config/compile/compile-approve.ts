import { parseUrl } from '@gantry/mcp/foreign'
import type {
  ApproveModel,
  ApproverPattern,
  PolicyModel,
  PolicySettings,
  RuleSettings,
} from '../../model/index.ts'
import type { Place, Section } from './section.ts'

/** Callers that are known; keys of the store are not. */
export interface ApproverNames {
  readonly apiKeys: readonly string[] | undefined
  readonly issuers: readonly string[]
}

const SHORTEST_SECRET = 24

/** The approvers of calls that a rule allows; undefined when no approval is needed. */
export function compileApprove(rule: Section<RuleSettings>, names: ApproverNames): ApproveModel | undefined {
  const { approve, confirm, deny = [] } = rule.value
  if ((approve || confirm) && deny.length > 0) {
    rule.report(
      {
        code: 'invalid-value',
        part: 'key',
        message: 'What is denied cannot be approved: "deny" always wins',
        fix: 'Make two rules of it, and write what needs an approval under "allow"',
      },
      approve ? 'approve' : 'confirm',
    )
  }
  if (!approve) return undefined
  const { by, within, message } = approve
  const place = rule.at('approve').at('by')
  return {
    by: (typeof by === 'string' ? [by] : by).map((text) => readApprover(text, place, names)),
    within: Math.max(1, within),
    message,
  }
}

function readApprover(text: string, place: Place, { apiKeys, issuers }: ApproverNames): ApproverPattern {
  if (text === 'operator') return { kind: 'operator' }
  const colon = text.indexOf(':')
  const kind = text.slice(0, colon) as Exclude<ApproverPattern['kind'], 'operator'>
  const name = text.slice(colon + 1)
  if (kind === 'key') {
    if (apiKeys && !apiKeys.includes(name)) warnOfNobody(`No API key is called "${name}"`, place)
    return { kind, name }
  }
  if (kind === 'scope') return { kind, name }
  // Groups are claims of tokens, and tokens name people.
  if (issuers.length === 0) warnOfNobody('Only tokens name people, and no tokens are accepted', place)
  if (kind === 'group') return { kind, name }
  if (issuers.length > 1) {
    place.report({
      code: 'invalid-value',
      message: `Several issuers may have the subject "${name}"`,
      fix: 'Name a group or a scope instead',
    })
  }
  return { kind, issuer: issuers[0] ?? '', name }
}

/** Without an approver that can sign in, calls would wait for nothing. */
function warnOfNobody(message: string, place: Place): void {
  const fix = 'Name approvers that can sign in, or "operator"'
  place.report({ severity: 'warning', code: 'ineffective-rule', message, fix })
}

export function compileWebhook(
  section: Section<NonNullable<PolicySettings['webhook']>>,
): PolicyModel['webhook'] {
  const { value: webhook, isResolved } = section.context.attempt(() => ({
    url: section.plain('url'),
    secret: section.secret('secret'),
  }))
  if (isResolved && !/^https?:$/.test(parseUrl(webhook.url)?.protocol ?? '')) {
    const fix = 'Write it like https://hooks.example.com/approvals'
    section.report({ code: 'invalid-value', message: 'This is not the address of a web server', fix }, 'url')
  }
  if (isResolved && webhook.secret.reveal().length < SHORTEST_SECRET) {
    section.report(
      {
        code: 'invalid-value',
        message: `The secret has fewer than ${SHORTEST_SECRET} characters, so it can be guessed`,
        fix: 'Make one with: node -p "crypto.randomBytes(32).toString(\'base64url\')"',
      },
      'secret',
    )
  }
  return webhook
}
