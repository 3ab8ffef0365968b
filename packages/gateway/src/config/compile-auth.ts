import { createHash } from 'node:crypto'
import type { ApiKeyModel, AuthModel, BearerModel } from '../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import type { RawAuth } from './raw-config.ts'

const SHORTEST_KEY = 20

export function compileAuth(raw: RawAuth, context: CompileContext): AuthModel {
  const apiKeys = (raw.apiKeys ?? []).map((key, index) => compileKey(key, index, context))
  reportTwins(apiKeys, context)
  const bearer = raw.bearer && compileBearer(raw.bearer, context)
  return { required: apiKeys.length > 0 || bearer !== undefined, apiKeys, bearer }
}

function compileKey(
  raw: NonNullable<RawAuth['apiKeys']>[number],
  index: number,
  context: CompileContext,
): ApiKeyModel {
  const { name, scopes = [] } = raw
  if (raw.key === undefined) return { name, sha256: raw.sha256!.toLowerCase(), scopes }
  const path = ['auth', 'apiKeys', index, 'key']
  const before = context.problems.length
  const value = context.secret(raw.key, path).reveal()
  const isResolved = context.problems.length === before
  if (isResolved && value.length < SHORTEST_KEY) {
    context.report({
      severity: value === '' ? 'error' : 'warning',
      code: 'weak-key',
      path,
      message: `The API key "${name}" ${value === '' ? 'is empty' : 'is short enough to be guessed'}`,
      fix: 'Make one with: node -p "crypto.randomBytes(32).toString(\'base64url\')"',
    })
  }
  return { name, sha256: createHash('sha256').update(value).digest('hex'), scopes }
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

function compileBearer(raw: NonNullable<RawAuth['bearer']>, context: CompileContext): BearerModel {
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
      clientSecret: context.secret(introspection.clientSecret, [...path, 'introspection', 'clientSecret']),
    },
  }
}
