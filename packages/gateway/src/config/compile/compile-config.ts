import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { parseUrl } from '@gantry/mcp/foreign'
import {
  deepFreeze,
  isLoopbackHost,
  targetScheme,
  type GatewayModel,
  type TargetModel,
  type ApiKeyModel,
  type AuthModel,
  type BearerModel,
} from '../../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import { compilePolicy } from './compile-policy.ts'
import { bytes, compileServer, duration, type ServerOverrides } from './compile-server.ts'
import { compileTarget } from './compile-target.ts'
import type { RawConfig, RawAuth } from '../raw-config.ts'
import { stateDirFor } from '../user-places.ts'
import type { ConfigPath } from '../problem.ts'
import { readSchema } from './schema.ts'

export interface CompileOptions {
  readonly file: string | undefined
  readonly overrides: ServerOverrides
}

/** Fills in, resolves and checks what the schema cannot. What is wrong goes into the context. */
export function compileConfig(
  raw: RawConfig,
  context: CompileContext,
  options: CompileOptions,
): GatewayModel {
  reportForeignKeys(raw, context)
  const targets = compileTargets(raw, context)
  const auth = compileAuth(raw.auth ?? {}, raw.server?.trustedHosts ?? [], context)
  const server = compileServer(raw.server ?? {}, context, options.overrides)
  const stateDir =
    raw.stateDir === undefined
      ? stateDirFor(options.file, context.places)
      : context.toAbsolute(context.plain(raw.stateDir, ['stateDir']))
  const model: GatewayModel = {
    file: options.file,
    stateDir,
    server,
    auth,
    names: { separator: raw.names?.separator ?? '_', maxLength: raw.names?.maxLength ?? 64 },
    catalog: compileCatalog(raw.catalog ?? {}),
    store: compileStore(raw.store ?? {}, stateDir, context),
    policy: compilePolicy(raw.policy ?? {}, context, {
      targets: targets.map((target) => target.name),
      apiKeys: auth.apiKeys.map((key) => key.name),
      issuers: auth.bearer ? [auth.bearer.issuer] : [],
    }),
    telemetry: compileTelemetry(raw.telemetry ?? {}),
    targets,
  }
  reportOpenDoor(model, context)
  return deepFreeze(model)
}

function compileTargets(raw: RawConfig, context: CompileContext): TargetModel[] {
  const targets: TargetModel[] = []
  for (const section of ['mcpServers', 'servers'] as const) {
    for (const [name, target] of Object.entries(raw[section] ?? {})) {
      const path = [section, name]
      if (targets.some((other) => other.name === name)) {
        const message = `"${name}" is also in "mcpServers"`
        const fix = 'Remove one of the two, or rename it'
        context.report({ code: 'duplicate-name', path, part: 'key', message, fix })
        continue
      }
      const prefixed = raw.names?.prefix ?? true
      const trustedHosts = raw.server?.trustedHosts ?? []
      const { defaults = {} } = raw
      targets.push(compileTarget({ name, raw: target, path, defaults, prefixed, trustedHosts }, context))
      reportSamePrefix(targets, path, context)
    }
  }
  return targets
}

/**
 * `my_server` and `my-server` are one scheme in front of URIs. To tell such targets apart, the URIs of the one would
 * have to show that the other exists, also to callers who may not know of it.
 */
function reportSamePrefix(targets: readonly TargetModel[], path: string[], context: CompileContext): void {
  const latest = targets.at(-1)!
  if (latest.prefix === '' || !latest.enabled) return
  const scheme = targetScheme(latest.prefix)
  const twin = targets.find(
    (other) =>
      other !== latest && other.enabled && other.prefix !== '' && targetScheme(other.prefix) === scheme,
  )
  if (!twin) return
  context.report({
    code: 'duplicate-name',
    path,
    part: 'key',
    message: `The URIs of "${latest.name}" and "${twin.name}" would both begin with "${scheme}+"`,
    fix: 'Rename one of them, or give it a "prefix" of its own. Capitals, "_" and spaces make no difference',
  })
}

function compileCatalog(raw: NonNullable<RawConfig['catalog']>): GatewayModel['catalog'] {
  return {
    ttl: duration(raw.ttl, '5m'),
    deadline: duration(raw.deadline, '5s'),
    pageSize: raw.pageSize ?? 500,
    persist: raw.persist ?? true,
  }
}

function compileStore(
  raw: NonNullable<RawConfig['store']>,
  stateDir: string,
  context: CompileContext,
): GatewayModel['store'] {
  if (raw.kind === 'memory') return { kind: 'memory' }
  const path =
    raw.path === undefined
      ? join(stateDir, 'store.mdb')
      : context.toAbsolute(context.plain(raw.path, ['store', 'path']))
  return { kind: 'embedded', path, maxBytes: bytes(raw.maxSize, '512mb') }
}

function compileTelemetry(raw: NonNullable<RawConfig['telemetry']>): GatewayModel['telemetry'] {
  return {
    logLevel: raw.logLevel ?? 'info',
    logFormat: raw.logFormat ?? 'text',
    wire: { size: raw.wire?.size ?? 2000, bodyBytes: bytes(raw.wire?.bodyBytes, '64kb') },
    sampling: raw.sampling ?? 1,
  }
}

/** Whoever reaches the gateway can run its targets: nobody may do so from outside without a credential. */
function reportOpenDoor({ server, auth }: GatewayModel, context: CompileContext): void {
  if (auth.required) return
  const fix = 'Add "auth" with "apiKeys" or "bearer", or listen on 127.0.0.1'
  if (!server.loopback) {
    const message = `Other machines can reach ${server.host}, and nothing says who may come in`
    context.report({ code: 'auth-required', path: ['server', 'host'], message, fix })
  } else if (server.publicUrl !== undefined && !isLoopbackUrl(server.publicUrl)) {
    const message = `Other machines can reach ${server.publicUrl}, and nothing says who may come in`
    context.report({
      code: 'auth-required',
      path: ['server', 'publicUrl'],
      message,
      fix: 'Add "auth" with "apiKeys" or "bearer"',
    })
  }
}

function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(parseUrl(url)?.hostname ?? '')
}

const SHORTEST_KEY = 20
const MAKE_ONE = 'Make one with: node -p "crypto.randomBytes(32).toString(\'base64url\')"'
/** What a command such as `echo $KEY | sha256sum` prints when there is no key. */
const HASHES_OF_NOTHING: ReadonlySet<string> = new Set(['', ' ', '\n', '\r\n', '""', "''"].map(sha256Of))

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function compileAuth(raw: RawAuth, trustedHosts: readonly string[], context: CompileContext): AuthModel {
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

type Properties = { readonly [key: string]: { deprecated?: boolean; description?: string } | undefined }
interface SchemaPart {
  readonly properties: Properties
}

/** Says what becomes of keys that belong to some client: the schema marks them as deprecated. */
function reportForeignKeys(raw: RawConfig, context: CompileContext): void {
  const schema = readSchema() as unknown as SchemaPart & { $defs: { target: SchemaPart; oauth: SchemaPart } }
  reportIn(raw, schema.properties, [], context)
  for (const section of ['mcpServers', 'servers'] as const) {
    for (const [name, target] of Object.entries(raw[section] ?? {})) {
      reportIn(target, schema.$defs.target.properties, [section, name], context)
      reportIn(target.oauth || {}, schema.$defs.oauth.properties, [section, name, 'oauth'], context)
    }
  }
}

function reportIn(value: object, properties: Properties, path: ConfigPath, context: CompileContext): void {
  for (const key of Object.keys(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!property?.deprecated) continue
    const message = `"${key}": ${property.description?.replaceAll('`', '"')}`
    context.report({ severity: 'warning', code: 'ignored-key', path: [...path, key], part: 'key', message })
  }
}
