import type { PrincipalPattern } from '../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import type { ConfigPath } from './problem.ts'
import type { RawPrincipal } from './raw-config.ts'

/** Whom a rule is about, field by field. A name that fits two issuers is refused instead of guessed. */
export function compilePrincipals(
  raw: readonly RawPrincipal[],
  path: ConfigPath,
  context: CompileContext,
  issuers: readonly string[],
): PrincipalPattern[] {
  return raw.map((one, index) => {
    const at = [...path, index]
    const { kind = 'person', issuer, subject } = typeof one === 'string' ? { subject: one } : one
    if (typeof one === 'string') reportOldForms(one, at, context)
    if (issuer === undefined) return { kind, issuer: onlyIssuer(issuers, at, context), subject }
    reportUnknownIssuer(issuer, issuers, at, context)
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
