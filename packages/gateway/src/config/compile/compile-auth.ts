import { createHash } from 'node:crypto'
import type {
  ApiKeyModel,
  ApiKeySettings,
  AuthModel,
  AuthSettings,
  BearerModel,
  BearerSettings,
  GroupsModel,
  ServerModel,
  TargetModel,
} from '../../model/index.ts'
import { ADMIN_SCOPE, METRICS_SCOPE, OPERATOR_SCOPE, suggest, VIEWER_SCOPE } from '../../model/index.ts'
import type { Expressions } from './compile-conditions.ts'
import { compileSignIn, wantsIdTokens } from './compile-sign-in.ts'
import type { Place, Section } from './section.ts'

const OWN_SCOPES: readonly string[] = [ADMIN_SCOPE, OPERATOR_SCOPE, VIEWER_SCOPE, METRICS_SCOPE]
const SHORTEST_KEY = 20
const MAKE_ONE = 'Make one with: node -p "crypto.randomBytes(32).toString(\'base64url\')"'
/** Hashes that a command such as `echo $KEY | sha256sum` prints when there is no key. */
const HASHES_OF_NOTHING: ReadonlySet<string> = new Set(['', ' ', '\n', '\r\n', '""', "''"].map(sha256Of))

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

interface AuthSurroundings {
  readonly expressions: Expressions
  readonly server: ServerModel
  readonly trustedHosts: readonly string[]
  readonly targets: readonly TargetModel[]
}

export function compileAuth(section: Section<AuthSettings>, surroundings: AuthSurroundings): AuthModel {
  const { server, trustedHosts, targets } = surroundings
  const { keys, signIn, mtls, roles, groups } = section.value
  const keySection = section.at('apiKeys')
  const apiKeys = keySection.each().map(compileKey)
  reportTwins(apiKeys, keySection)
  const issuers = bearersOf(section).map((bearer) => ({ ...compileBearer(bearer), trustedHosts }))
  reportSameIssuer(issuers, section)
  if (!signIn) reportLackingLogin(targets, section)
  return {
    required: keys || apiKeys.length > 0 || issuers.length > 0 || signIn !== undefined || mtls !== undefined,
    apiKeys,
    keys,
    issuers,
    signIn: signIn && compileSignIn(section.at('signIn'), { issuers, trustedHosts, server, targets }),
    mtls: mtls && compileMtls(section.at('mtls'), server),
    roles,
    groups: compileGroups(groups, surroundings.expressions, section),
  }
}

/** Without the gateway's own login there is no ID token to exchange. */
function reportLackingLogin(targets: readonly TargetModel[], section: Section<AuthSettings>): void {
  const target = targets.find(wantsIdTokens)
  if (!target) return
  section.report({
    code: 'invalid-value',
    part: 'key',
    message: `"${target.name}" is used with the ID tokens of people, and nobody logs in at this gateway`,
    fix: 'Add "auth.signIn"',
  })
}

function compileMtls(
  section: Section<NonNullable<AuthSettings['mtls']>>,
  { tls }: ServerModel,
): AuthModel['mtls'] {
  if (!tls) {
    const message = 'Client certificates need a port with TLS'
    section.report({ code: 'invalid-value', part: 'key', message, fix: 'Set "server.tls"' })
  }
  return { ca: section.file('ca') }
}

function bearersOf(section: Section<AuthSettings>): Section<BearerSettings>[] {
  const { bearer } = section.value
  if (bearer === undefined) return []
  const place = section.at('bearer')
  return 'issuer' in bearer ? [place.narrow(bearer)] : place.narrow(bearer).each()
}

/** Which settings hold for a token is found by its issuer. */
function reportSameIssuer(issuers: readonly BearerModel[], section: Section<AuthSettings>): void {
  issuers.forEach(({ issuer }, index) => {
    if (issuers.findIndex((other) => other.issuer === issuer) === index) return
    const message = `${issuer} is there twice`
    section.report(
      { code: 'duplicate-name', message, fix: 'Join the two entries' },
      'bearer',
      index,
      'issuer',
    )
  })
}

function compileGroups(
  groups: AuthSettings['groups'],
  expressions: Expressions,
  section: Section<AuthSettings>,
): GroupsModel | undefined {
  if (groups === undefined) return undefined
  if (typeof groups === 'string') return { claims: [groups] }
  if (!('expression' in groups)) return { claims: groups }
  // An expression that did not compile has been reported, and its configuration is not taken.
  const expression = expressions.get(groups.expression)
  if (expression?.reads.some((source) => source !== 'auth')) {
    section.report(
      {
        code: 'invalid-value',
        message: 'Groups are known before a request is, and this expression asks for more than the caller',
        fix: 'Use claims and principal only',
      },
      'groups',
      'expression',
    )
  }
  return expression ? { expression } : { claims: [] }
}

function compileKey(section: Section<ApiKeySettings>): ApiKeyModel {
  const { name, scopes } = section.value
  section.at('scopes').each().forEach(warnUnknownScope)
  if (section.value.key === undefined) {
    const sha256 = section.value.sha256!.toLowerCase()
    if (HASHES_OF_NOTHING.has(sha256)) reportEmpty(section, 'sha256')
    return { name, sha256, scopes }
  }
  const { value: secret, isResolved } = section.context.attempt(() => section.secret('key')!)
  const key = secret.reveal()
  if (isResolved && key.trim() === '') reportEmpty(section, 'key')
  else if (isResolved && key.length < SHORTEST_KEY) {
    const message = `The API key "${name}" is short enough to be guessed`
    section.report({ severity: 'warning', code: 'weak-key', message, fix: MAKE_ONE }, 'key')
  }
  return { name, sha256: sha256Of(key), scopes }
}

/** Scopes that begin with our name open the console or the metrics; any other such scope is a slip. */
function warnUnknownScope(section: Section<string>): void {
  const scope = section.value
  if (!scope.startsWith('gantry:') || OWN_SCOPES.includes(scope)) return
  const close = suggest(scope, OWN_SCOPES)
  section.report({
    severity: 'warning',
    code: 'ineffective-rule',
    message: `"${scope}" opens nothing`,
    fix: close ? `Did you mean "${close}"?` : `Known: ${OWN_SCOPES.join(', ')}`,
  })
}

function reportEmpty(section: Section<ApiKeySettings>, key: 'key' | 'sha256'): void {
  section.report(
    { code: 'weak-key', message: `The API key "${section.value.name}" is empty`, fix: MAKE_ONE },
    key,
  )
}

function reportTwins(keys: readonly ApiKeyModel[], section: Place): void {
  keys.forEach((key, index) => {
    const same = keys.findIndex((other) => other.sha256 === key.sha256)
    if (same !== index && sha256Of('') !== key.sha256) {
      const message = `"${keys[same]!.name}" and "${key.name}" are the same API key`
      const fix = 'Make one for each: rules and logs could not tell their callers apart'
      section.report({ code: 'duplicate-name', message, fix }, index)
    }
    if (keys.findIndex((other) => other.name === key.name) === index) return
    const message = `Two API keys are called "${key.name}"`
    const fix = 'Give each key a name of its own: rules and logs go by it'
    section.report({ code: 'duplicate-name', message, fix }, index, 'name')
  })
}

function compileBearer(section: Section<BearerSettings>): Omit<BearerModel, 'trustedHosts'> {
  const introspection = section.value.introspection && section.at('introspection')
  return {
    issuer: section.plain('issuer'),
    audience: section.plain('audience'),
    scopes: section.value.scopes,
    jwksUri: section.plain('jwksUri'),
    introspection: introspection && {
      url: introspection.plain('url'),
      clientId: introspection.plain('clientId'),
      clientSecret: introspection.credential('clientSecret'),
    },
  }
}
