import { createHash } from 'node:crypto'
import type { ApiKeyModel, AuthModel, BearerModel } from '../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import type { ConfigPath } from './problem.ts'
import type { RawAuth } from './raw-config.ts'

const SHORTEST_KEY = 20
const MAKE_ONE = 'Make one with: node -p "crypto.randomBytes(32).toString(\'base64url\')"'
/** What a command such as `echo $KEY | sha256sum` prints when there is no key. */
const HASHES_OF_NOTHING: ReadonlySet<string> = new Set(['', ' ', '\n', '\r\n', '""', "''"].map(sha256Of))

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function compileAuth(
  raw: RawAuth,
  trustedHosts: readonly string[],
  context: CompileContext,
): AuthModel {
  const apiKeys = (raw.apiKeys ?? []).map((key, index) => compileKey(key, index, context))
  reportTwins(apiKeys, context)
  const bearer = raw.bearer && { ...compileBearer(raw.bearer, context), trustedHosts }
  return { required: apiKeys.length > 0 || bearer !== undefined, apiKeys, bearer }
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
  raw: NonNullable<RawAuth['bearer']>,
  context: CompileContext,
): Omit<BearerModel, 'trustedHosts'> {
  const path = ['auth', 'bearer']
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
