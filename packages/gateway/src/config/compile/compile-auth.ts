import { createHash } from 'node:crypto'
import type {
  ApiKeyModel,
  AuthModel,
  BearerModel,
  GroupsModel,
  ServerModel,
  TargetModel,
} from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import type { RawAuth, RawBearer, RawConfig } from '../raw-config.ts'
import type { Expressions } from './compile-conditions.ts'
import type { CompileContext } from './compile-context.ts'
import { compileSignIn, wantsIdTokens } from './compile-sign-in.ts'

const SHORTEST_KEY = 20
const MAKE_ONE = 'Make one with: node -p "crypto.randomBytes(32).toString(\'base64url\')"'
/** What a command such as `echo $KEY | sha256sum` prints when there is no key. */
const HASHES_OF_NOTHING: ReadonlySet<string> = new Set(['', ' ', '\n', '\r\n', '""', "''"].map(sha256Of))

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function compileAuth(
  { auth: raw = {}, server = {} }: RawConfig,
  context: CompileContext,
  {
    expressions,
    server: compiled,
    targets,
  }: { expressions: Expressions; server: ServerModel; targets: readonly TargetModel[] },
): AuthModel {
  const { trustedHosts = [] } = server
  const apiKeys = (raw.apiKeys ?? []).map((key, index) => compileKey(key, index, context))
  reportTwins(apiKeys, context)
  const issuers = bearersOf(raw).map((bearer, index) => ({
    ...compileBearer(bearer, Array.isArray(raw.bearer) ? [index] : [], context),
    trustedHosts,
  }))
  reportSameIssuer(issuers, context)
  const keys = raw.keys ?? false
  if (!raw.signIn) reportLackingLogin(targets, context)
  return {
    required:
      keys || apiKeys.length > 0 || issuers.length > 0 || raw.signIn !== undefined || raw.mtls !== undefined,
    apiKeys,
    keys,
    issuers,
    signIn:
      raw.signIn && compileSignIn(raw.signIn, { issuers, trustedHosts, server: compiled, targets }, context),
    mtls: raw.mtls && compileMtls(raw.mtls, compiled, context),
    roles: raw.roles && { admin: [], operator: [], viewer: [], ...raw.roles },
    groups: compileGroups(raw.groups, expressions, context),
  }
}

/** Without a login of ours there is no ID token to exchange. */
function reportLackingLogin(targets: readonly TargetModel[], context: CompileContext): void {
  const target = targets.find(wantsIdTokens)
  if (!target) return
  context.report({
    code: 'invalid-value',
    path: ['auth'],
    part: 'key',
    message: `"${target.name}" is used with the ID tokens of people, and nobody logs in at this gateway`,
    fix: 'Add "auth.signIn"',
  })
}

function compileMtls(
  { ca }: NonNullable<RawAuth['mtls']>,
  { tls }: ServerModel,
  context: CompileContext,
): AuthModel['mtls'] {
  if (!tls) {
    context.report({
      code: 'invalid-value',
      path: ['auth', 'mtls'],
      part: 'key',
      message: 'Client certificates need a port with TLS',
      fix: 'Set "server.tls"',
    })
  }
  return { ca: context.toAbsolute(context.plain(ca, ['auth', 'mtls', 'ca'])) }
}

function bearersOf({ bearer = [] }: RawAuth): readonly RawBearer[] {
  return Array.isArray(bearer) ? bearer : [bearer]
}

/** Which settings hold for a token is found by its issuer. */
function reportSameIssuer(issuers: readonly BearerModel[], context: CompileContext): void {
  issuers.forEach(({ issuer }, index) => {
    if (issuers.findIndex((other) => other.issuer === issuer) === index) return
    context.report({
      code: 'duplicate-name',
      path: ['auth', 'bearer', index, 'issuer'],
      message: `${issuer} is there twice`,
      fix: 'Join the two entries',
    })
  })
}

function compileGroups(
  raw: RawAuth['groups'],
  expressions: Expressions,
  context: CompileContext,
): GroupsModel | undefined {
  if (raw === undefined) return undefined
  if (typeof raw === 'string') return { claims: [raw] }
  if (Array.isArray(raw)) return { claims: raw }
  // An expression that did not compile has been reported, and its configuration is not taken.
  const expression = expressions.get(raw.expression)
  if (expression?.reads.some((source) => source !== 'auth')) {
    context.report({
      code: 'invalid-value',
      path: ['auth', 'groups', 'expression'],
      message: 'Groups are known before a request is, and this expression asks for more than the caller',
      fix: 'Use claims and principal only',
    })
  }
  return expression ? { expression } : { claims: [] }
}

function compileKey(
  raw: NonNullable<RawAuth['apiKeys']>[number],
  index: number,
  context: CompileContext,
): ApiKeyModel {
  const { name, scopes = [] } = raw
  if (raw.key === undefined) {
    const sha256 = raw.sha256!.toLowerCase()
    if (HASHES_OF_NOTHING.has(sha256)) reportEmpty(name, ['auth', 'apiKeys', index, 'sha256'], context)
    return { name, sha256, scopes }
  }
  const path = ['auth', 'apiKeys', index, 'key']
  const before = context.problems.length
  const value = context.secret(raw.key, path).reveal()
  const isResolved = context.problems.length === before
  if (isResolved && value.trim() === '') reportEmpty(name, path, context)
  else if (isResolved && value.length < SHORTEST_KEY) {
    context.report({
      severity: 'warning',
      code: 'weak-key',
      path,
      message: `The API key "${name}" is short enough to be guessed`,
      fix: MAKE_ONE,
    })
  }
  return { name, sha256: sha256Of(value), scopes }
}

function reportEmpty(name: string, path: ConfigPath, context: CompileContext): void {
  const message = `The API key "${name}" is empty`
  context.report({ code: 'weak-key', path, message, fix: MAKE_ONE })
}

function reportTwins(keys: readonly ApiKeyModel[], context: CompileContext): void {
  keys.forEach((key, index) => {
    const same = keys.findIndex((other) => other.sha256 === key.sha256)
    if (same !== index && sha256Of('') !== key.sha256) {
      context.report({
        code: 'duplicate-name',
        path: ['auth', 'apiKeys', index],
        message: `"${keys[same]!.name}" and "${key.name}" are the same API key`,
        fix: 'Make one for each: rules and logs could not tell their callers apart',
      })
    }
    const first = keys.findIndex((other) => other.name === key.name)
    if (first === index) return
    context.report({
      code: 'duplicate-name',
      path: ['auth', 'apiKeys', index, 'name'],
      message: `Two API keys are called "${key.name}"`,
      fix: 'Give each key a name of its own: rules and logs go by it',
    })
  })
}

function compileBearer(
  raw: RawBearer,
  at: ConfigPath,
  context: CompileContext,
): Omit<BearerModel, 'trustedHosts'> {
  const path: ConfigPath = ['auth', 'bearer', ...at]
  const { introspection } = raw
  return {
    issuer: context.plain(raw.issuer, [...path, 'issuer']),
    audience: context.plain(raw.audience, [...path, 'audience']),
    scopes: raw.scopes ?? [],
    jwksUri: raw.jwksUri === undefined ? undefined : context.plain(raw.jwksUri, [...path, 'jwksUri']),
    introspection: introspection && {
      url: context.plain(introspection.url, [...path, 'introspection', 'url']),
      clientId: context.plain(introspection.clientId, [...path, 'introspection', 'clientId']),
      clientSecret: context.credential(introspection.clientSecret, [
        ...path,
        'introspection',
        'clientSecret',
      ]),
    },
  }
}
