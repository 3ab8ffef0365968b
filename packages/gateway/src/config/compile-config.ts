import { join } from 'node:path'
import { parseUrl } from '@gantry/mcp/foreign'
import { deepFreeze, isLoopbackHost, type GatewayModel, type TargetModel } from '../model/index.ts'
import { compileAuth } from './compile-auth.ts'
import type { CompileContext } from './compile-context.ts'
import { compilePolicy } from './compile-policy.ts'
import { bytes, compileServer, duration, type ServerOverrides } from './compile-server.ts'
import { compileTarget } from './compile-target.ts'
import { reportForeignKeys } from './foreign-keys.ts'
import type { RawConfig } from './raw-config.ts'
import { stateDirFor } from './user-places.ts'

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
    catalog: compileCatalog(raw.catalog ?? {}, stateDir, context),
    store: compileStore(raw.store ?? {}, context),
    policy: compilePolicy(raw.policy ?? {}, context, {
      targets: targets.map((target) => target.name),
      apiKeys: auth.apiKeys.map((key) => key.name),
      issuers: auth.bearer ? [auth.bearer.issuer] : [],
    }),
    telemetry: compileTelemetry(raw.telemetry ?? {}),
    targets,
  }
  reportReserved(raw, context)
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

/** `my server` and `my-server` look the same in front of a tool; the catalog copes, people may not. */
function reportSamePrefix(targets: readonly TargetModel[], path: string[], context: CompileContext): void {
  const latest = targets.at(-1)!
  const twin = targets.find((other) => other !== latest && other.prefix === latest.prefix)
  if (!twin || latest.prefix === '') return
  context.report({
    severity: 'warning',
    code: 'duplicate-name',
    path,
    part: 'key',
    message: `Tools of "${latest.name}" and "${twin.name}" get the same prefix "${latest.prefix}"`,
    fix: 'Give one of them a "prefix" of its own',
  })
}

function compileCatalog(
  raw: NonNullable<RawConfig['catalog']>,
  stateDir: string,
  context: CompileContext,
): GatewayModel['catalog'] {
  const dir =
    raw.dir === undefined
      ? join(stateDir, 'catalog')
      : context.toAbsolute(context.plain(raw.dir, ['catalog', 'dir']))
  return {
    ttl: duration(raw.ttl, '5m'),
    deadline: duration(raw.deadline, '5s'),
    pageSize: raw.pageSize ?? 500,
    dir: raw.persist === false ? undefined : dir,
  }
}

function compileStore(raw: NonNullable<RawConfig['store']>, context: CompileContext): GatewayModel['store'] {
  if (raw.redis === undefined) return { kind: 'memory' }
  const url = context.secret(raw.redis, ['store', 'redis'])
  return { kind: 'redis', url, keyPrefix: raw.keyPrefix ?? 'gantry:' }
}

function compileTelemetry(raw: NonNullable<RawConfig['telemetry']>): GatewayModel['telemetry'] {
  return {
    logLevel: raw.logLevel ?? 'info',
    logFormat: raw.logFormat ?? 'text',
    wire: { size: raw.wire?.size ?? 2000, bodyBytes: bytes(raw.wire?.bodyBytes, '64kb') },
    sampling: raw.sampling ?? 1,
  }
}

/** Better to hear it now than to count on what is not there. */
function reportReserved({ store }: RawConfig, context: CompileContext): void {
  const report = (path: string[], fix: string): void =>
    context.report({
      severity: 'warning',
      code: 'ignored-key',
      path,
      message: `"${path.join('.')}" is reserved: nothing uses it yet`,
      fix,
    })
  if (store?.redis !== undefined) {
    report(['store', 'redis'], 'Remove it; replicas share sessions by the same "server.sealingKeys"')
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
