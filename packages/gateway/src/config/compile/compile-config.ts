import { parseUrl } from '@gantry/mcp/foreign'
import {
  CERTIFICATE_ISSUER,
  deepFreeze,
  isLoopbackHost,
  targetScheme,
  type GatewayModel,
  type TargetModel,
  type AuthModel,
} from '../../model/index.ts'
import { compileAudit } from './compile-audit.ts'
import { compileAuth } from './compile-auth.ts'
import type { CompileContext } from './compile-context.ts'
import { compilePolicy, type Conditions } from './compile-policy.ts'
import { compileLimits } from './compile-limits.ts'
import { compileResults } from './compile-results.ts'
import type { Expressions } from './compile-conditions.ts'
import { compileViews } from './compile-views.ts'
import { bytes, compileServer, duration, type ServerOverrides } from './compile-server.ts'
import { compileStore } from './compile-store.ts'
import { compileTarget } from './compile-target.ts'
import type { RawConfig } from '../raw-config.ts'
import { stateDirFor } from '../user-places.ts'
import type { ConfigPath } from '../problem.ts'
import { readSchema } from './schema.ts'

export interface CompileOptions {
  readonly file: string | undefined
  readonly overrides: ServerOverrides
  readonly conditions: Conditions
  readonly expressions: Expressions
}

/** Fills in, resolves and checks what the schema cannot. What is wrong goes into the context. */
export function compileConfig(
  raw: RawConfig,
  context: CompileContext,
  options: CompileOptions,
): GatewayModel {
  reportForeignKeys(raw, context)
  const targets = compileTargets(raw, context)
  const server = compileServer(raw.server ?? {}, context, options.overrides)
  const auth = compileAuth(raw, context, { expressions: options.expressions, server, targets })
  const stateDir =
    raw.stateDir === undefined
      ? stateDirFor(options.file, context.places)
      : context.toAbsolute(context.plain(raw.stateDir, ['stateDir']))
  const names = {
    targets: targets.map((target) => target.name),
    // The store may have keys of any name.
    apiKeys: auth.keys ? undefined : auth.apiKeys.map((key) => key.name),
    issuers: issuersOf(auth),
    workloadIssuers: auth.mtls ? [CERTIFICATE_ISSUER] : [],
  }
  const model: GatewayModel = {
    file: options.file,
    stateDir,
    server,
    auth,
    names: { separator: raw.names?.separator ?? '_', maxLength: raw.names?.maxLength ?? 64 },
    catalog: compileCatalog(raw.catalog ?? {}),
    store: compileStore(raw.store ?? {}, stateDir, context),
    policy: compilePolicy(raw.policy ?? {}, context, names, options.conditions),
    results: compileResults(raw.results ?? [], context, names.targets),
    views: compileViews(raw.views ?? {}, context, names, options.expressions),
    limits: compileLimits(raw.limits ?? {}, context, names.targets, options.expressions),
    telemetry: compileTelemetry(raw.telemetry ?? {}, context),
    audit: raw.audit && compileAudit(raw.audit, stateDir, context),
    targets,
  }
  reportOpenDoor(model, context)
  reportWorkers(model, context)
  return deepFreeze(model)
}

/** Whose people there are. Those who sign in here are people of the identity provider. */
function issuersOf({ issuers, signIn }: AuthModel): string[] {
  return [...new Set([...issuers, ...(signIn ? [signIn] : [])].map(({ issuer }) => issuer))]
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

function compileTelemetry(
  raw: NonNullable<RawConfig['telemetry']>,
  context: CompileContext,
): GatewayModel['telemetry'] {
  return {
    logLevel: raw.logLevel ?? 'info',
    logFormat: raw.logFormat ?? 'text',
    wire: { size: raw.wire?.size ?? 2000, bodyBytes: bytes(raw.wire?.bodyBytes, '64kb') },
    sampling: raw.sampling ?? 1,
    otlp: raw.otlp && compileOtlp(raw.otlp, context),
  }
}

function compileOtlp(
  raw: NonNullable<NonNullable<RawConfig['telemetry']>['otlp']>,
  context: CompileContext,
): GatewayModel['telemetry']['otlp'] {
  const path = ['telemetry', 'otlp']
  return {
    endpoint: raw.endpoint === undefined ? undefined : context.plain(raw.endpoint, [...path, 'endpoint']),
    headers: context.secrets(raw.headers ?? {}, [...path, 'headers']),
    share: raw.share,
    slow: duration(raw.slow, '5s'),
    bodies: raw.bodies ?? false,
    interval: raw.interval === undefined ? undefined : duration(raw.interval, '60s'),
  }
}

/** A caller that reaches the gateway can run its targets: from outside that needs a credential. */
function reportOpenDoor({ server, auth }: GatewayModel, context: CompileContext): void {
  if (auth.required) return
  const fix = 'Add "auth" with "keys", "apiKeys", "bearer", "signIn" or "mtls", or listen on 127.0.0.1'
  if (!server.loopback) {
    const message = `Other machines can reach ${server.host}, and nothing says who may come in`
    context.report({ code: 'auth-required', path: ['server', 'host'], message, fix })
  } else if (server.publicUrl !== undefined && !isLoopbackUrl(server.publicUrl)) {
    const message = `Other machines can reach ${server.publicUrl}, and nothing says who may come in`
    context.report({
      code: 'auth-required',
      path: ['server', 'publicUrl'],
      message,
      fix: 'Add "auth" with "keys", "apiKeys", "bearer", "signIn" or "mtls"',
    })
  }
}

/** What is in the memory of one process is not there for the others. */
export function reportWorkers(
  { server, store, auth }: GatewayModel,
  context: Pick<CompileContext, 'report'>,
): void {
  if (server.workers === 1) return
  const path = ['server', 'workers']
  if (store.kind === 'memory') {
    const message = 'Workers need a store that they share, and "store.kind" is memory'
    context.report({ code: 'invalid-value', path, message, fix: 'Remove "store.kind", or set workers to 1' })
  }
  if (auth.mtls) {
    const message = 'Workers pass requests on to each other, which client certificates do not survive'
    context.report({ code: 'invalid-value', path, message, fix: 'Remove "auth.mtls", or set workers to 1' })
  }
}

function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(parseUrl(url)?.hostname ?? '')
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
