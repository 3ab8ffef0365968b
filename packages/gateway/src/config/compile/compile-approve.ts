import { parseUrl } from '@gantry/mcp/foreign'
import type { ApproveModel, ApproverPattern, PolicyModel } from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import type { RawPolicy } from '../raw-config.ts'
import type { CompileContext } from './compile-context.ts'
import { duration } from './compile-server.ts'

type RawRule = NonNullable<RawPolicy['rules']>[number]

/** Callers that are known; keys of the store are not. */
export interface ApproverNames {
  readonly apiKeys: readonly string[] | undefined
  readonly issuers: readonly string[]
}

const SHORTEST_SECRET = 24

/** Who approves what a rule allows; undefined when nobody has to. */
export function compileApprove(
  { approve, confirm, deny = [] }: RawRule,
  path: ConfigPath,
  context: CompileContext,
  names: ApproverNames,
): ApproveModel | undefined {
  if ((approve || confirm) && deny.length > 0) {
    context.report({
      code: 'invalid-value',
      path: [...path, approve ? 'approve' : 'confirm'],
      part: 'key',
      message: 'What is denied cannot be approved: "deny" always wins',
      fix: 'Make two rules of it, and write what needs an approval under "allow"',
    })
  }
  if (!approve) return undefined
  const { by = 'operator', within, message } = approve
  const approvers = typeof by === 'string' ? [by] : by
  return {
    by: approvers.map((text) => readApprover(text, [...path, 'approve', 'by'], context, names)),
    within: Math.max(1, duration(within, '15m')),
    message,
  }
}

function readApprover(
  text: string,
  path: ConfigPath,
  context: CompileContext,
  { apiKeys, issuers }: ApproverNames,
): ApproverPattern {
  if (text === 'operator') return { kind: 'operator' }
  const colon = text.indexOf(':')
  const kind = text.slice(0, colon) as Exclude<ApproverPattern['kind'], 'operator'>
  const name = text.slice(colon + 1)
  if (kind === 'key') {
    if (apiKeys && !apiKeys.includes(name)) warnNobody(`No API key is called "${name}"`, path, context)
    return { kind, name }
  }
  if (kind === 'scope') return { kind, name }
  // Groups are claims of tokens, and tokens name people.
  if (issuers.length === 0) warnNobody('Only tokens name people, and no tokens are accepted', path, context)
  if (kind === 'group') return { kind, name }
  if (issuers.length > 1) {
    context.report({
      code: 'invalid-value',
      path,
      message: `Several issuers may have the subject "${name}"`,
      fix: 'Name a group or a scope instead',
    })
  }
  return { kind, issuer: issuers[0] ?? '', name }
}

/** Calls would wait for nothing. */
function warnNobody(message: string, path: ConfigPath, context: CompileContext): void {
  const fix = 'Name approvers that can sign in, or "operator"'
  context.report({ severity: 'warning', code: 'ineffective-rule', path, message, fix })
}

export function compileWebhook(raw: RawPolicy['webhook'], context: CompileContext): PolicyModel['webhook'] {
  if (!raw) return undefined
  const path: ConfigPath = ['policy', 'webhook']
  const url = context.plain(raw.url, [...path, 'url'])
  const before = context.problems.length
  const secret = context.secret(raw.secret, [...path, 'secret'])
  const isResolved = context.problems.length === before
  if (isResolved && !/^https?:$/.test(parseUrl(url)?.protocol ?? '')) {
    context.report({
      code: 'invalid-value',
      path: [...path, 'url'],
      message: 'This is no address of a web server',
      fix: 'Write it like https://hooks.example.com/approvals',
    })
  }
  if (isResolved && secret.reveal().length < SHORTEST_SECRET) {
    context.report({
      code: 'invalid-value',
      path: [...path, 'secret'],
      message: `The secret has fewer than ${SHORTEST_SECRET} characters, so it can be guessed`,
      fix: 'Make one with: node -p "crypto.randomBytes(32).toString(\'base64url\')"',
    })
  }
  return { url, secret }
}
