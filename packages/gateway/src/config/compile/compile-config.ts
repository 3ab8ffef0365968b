import { parseUrl } from '@gantry/mcp/foreign'
import {
  CERTIFICATE_ISSUER,
  deepFreeze,
  isLoopbackHost,
  targetScheme,
  type AuthModel,
  type GatewayModel,
  type OtlpModel,
  type RawConfig,
  type Settings,
  type TargetModel,
  type TelemetrySettings,
} from '../../model/index.ts'
import { compileAudit } from './compile-audit.ts'
import { compileAuth } from './compile-auth.ts'
import type { CompileContext } from './compile-context.ts'
import { compilePolicy, type Conditions } from './compile-policy.ts'
import { compileLimits } from './compile-limits.ts'
import { compileResults } from './compile-results.ts'
import type { Expressions } from './compile-conditions.ts'
import { compileViews } from './compile-views.ts'
import { compileServer, type ServerOverrides } from './compile-server.ts'
import { compileStore } from './compile-store.ts'
import { compileTarget } from './compile-target.ts'
import { stateDirFor } from '../user-places.ts'
import type { ConfigPath } from '../problem.ts'
import { readSchema } from './schema.ts'
import { type Place, Section } from './section.ts'

export interface CompileOptions {
  readonly file: string | undefined
  readonly overrides: ServerOverrides
  readonly conditions: Conditions
  readonly expressions: Expressions
}

/** Resolves and checks what the schema cannot. What is wrong goes into the context. */
export function compileConfig(
  raw: RawConfig,
  settings: Settings,
  context: CompileContext,
  { file, overrides, conditions, expressions }: CompileOptions,
): GatewayModel {
  reportForeignKeys(raw, context)
  const root = new Section(settings, [], context)
  const { trustedHosts } = settings.server
  const targets = compileTargets(raw, root)
  const server = compileServer(root.at('server'), overrides)
  const auth = compileAuth(root.at('auth'), { expressions, server, trustedHosts, targets })
  const stateDir = root.file('stateDir') ?? stateDirFor(file, context.places)
  const names = {
    targets: targets.map((target) => target.name),
    // The store may have keys of any name.
    apiKeys: auth.keys ? undefined : auth.apiKeys.map((key) => key.name),
    issuers: issuersOf(auth),
    workloadIssuers: auth.mtls ? [CERTIFICATE_ISSUER] : [],
  }
  const model: GatewayModel = {
    file,
    stateDir,
    server,
    auth,
    names: { separator: settings.names.separator, maxLength: settings.names.maxLength },
    catalog: settings.catalog,
    store: compileStore(root.at('store'), raw.store, stateDir),
    policy: compilePolicy(root.at('policy'), raw.policy, names, conditions),
    results: compileResults(root.at('results'), names.targets),
    views: compileViews(root.at('views'), names, expressions),
    limits: compileLimits(root, { targets: names.targets, expressions }),
    telemetry: compileTelemetry(root.at('telemetry')),
    audit: settings.audit && compileAudit(root.at('audit'), stateDir),
    targets,
  }
  reportOpenDoor(model, context)
  reportWorkers(model, context)
  return deepFreeze(model)
}

/** The issuers of people. People who sign in here belong to the identity provider. */
function issuersOf({ issuers, signIn }: AuthModel): string[] {
  return [...new Set([...issuers, ...(signIn ? [signIn] : [])].map(({ issuer }) => issuer))]
}

function compileTargets(raw: RawConfig, root: Section<Settings>): TargetModel[] {
  const prefixed = root.value.names.prefix
  const { trustedHosts } = root.value.server
  const targets: TargetModel[] = []
  for (const place of ['mcpServers', 'servers'] as const) {
    if (!root.value[place]) continue
    for (const [name, section] of root.at(place).members()) {
      if (targets.some((other) => other.name === name)) {
        const message = `"${name}" is also in "mcpServers"`
        const fix = 'Remove one of the two, or rename it'
        section.report({ code: 'duplicate-name', part: 'key', message, fix })
        continue
      }
      targets.push(compileTarget({ name, section, raw: raw[place]![name]!, prefixed, trustedHosts }))
      reportSamePrefix(targets, section)
    }
  }
  return targets
}

/**
 * `my_server` and `my-server` make the same scheme of a URI. The gateway cannot tell such targets apart by adding
 * something to a URI: that would show callers that the other target exists.
 */
function reportSamePrefix(targets: readonly TargetModel[], section: Place): void {
  const latest = targets.at(-1)!
  if (latest.prefix === '' || !latest.enabled) return
  const scheme = targetScheme(latest.prefix)
  const twin = targets.find(
    (other) =>
      other !== latest && other.enabled && other.prefix !== '' && targetScheme(other.prefix) === scheme,
  )
  if (!twin) return
  section.report({
    code: 'duplicate-name',
    part: 'key',
    message: `The URIs of "${latest.name}" and "${twin.name}" would both begin with "${scheme}+"`,
    fix: 'Rename one of them, or give it a "prefix" of its own. Capitals, "_" and spaces make no difference',
  })
}

function compileTelemetry(section: Section<TelemetrySettings>): GatewayModel['telemetry'] {
  const { otlp } = section.value
  return { ...section.value, otlp: otlp && compileOtlp(section.at('otlp')) }
}

function compileOtlp(section: Section<NonNullable<TelemetrySettings['otlp']>>): OtlpModel {
  const { share, slow, bodies, interval } = section.value
  return {
    endpoint: section.plain('endpoint'),
    headers: section.secrets('headers'),
    share,
    slow,
    bodies,
    interval,
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

/** Reports settings that keep state in the memory of one process, which other workers do not see. */
export function reportWorkers(
  { server, store }: GatewayModel,
  context: Pick<CompileContext, 'report'>,
): void {
  if (server.workers === 1) return
  const path = ['server', 'workers']
  if (store.kind === 'memory') {
    const message = 'Workers need a store that they share, and "store.kind" is memory'
    context.report({ code: 'invalid-value', path, message, fix: 'Remove "store.kind", or set workers to 1' })
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
