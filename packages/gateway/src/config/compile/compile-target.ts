import type {
  TargetModel,
  TargetOptions,
  OpenApiAuthModel,
  OpenApiTarget,
  SelectionModel,
} from '../../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import { compileCredentials } from './compile-credentials.ts'
import {
  compileInProcess,
  compileReplay,
  compileStdio,
  compileUrl,
  warnMissing,
  type TargetSource,
} from './compile-target-kinds.ts'
import { bytes, duration } from './compile-server.ts'
import type { ConfigPath } from '../problem.ts'
import type { RawTexts, Quantity } from '../raw-values.ts'
import type { RawOpenApi, RawSelection } from '../raw-target.ts'

export function compileTarget(source: TargetSource, context: CompileContext): TargetModel {
  const start = context.problems.length
  const options = compileTargetOptions(source, context)
  const target = compileKind(source, options, context)
  const reason = context.demoteUnresolved(start, target.enabled ? 'warning' : 'nothing')
  return target.enabled && reason !== undefined
    ? { ...target, enabled: false, disabledReason: reason }
    : target
}

/** The schema has seen to it that exactly one of these is there. */
function compileKind(source: TargetSource, options: TargetOptions, context: CompileContext): TargetModel {
  const { raw } = source
  if (raw.command !== undefined) return compileStdio(source, options, context)
  if (raw.module !== undefined) return compileInProcess(source, options, context)
  if (raw.openapi !== undefined) return compileOpenApi(source, options, context)
  if (raw.replay !== undefined) return compileReplay(source, options, context)
  return compileUrl(source, options, context)
}

function compileOpenApi(
  { raw, path, trustedHosts }: TargetSource,
  options: TargetOptions,
  context: CompileContext,
): OpenApiTarget {
  const openapi = raw.openapi!
  const at: ConfigPath = [...path, 'openapi']
  return {
    ...options,
    kind: 'openapi',
    document: compileDocument(openapi.document, [...at, 'document'], context),
    baseUrl: openapi.baseUrl === undefined ? undefined : context.plain(openapi.baseUrl, [...at, 'baseUrl']),
    trustedHosts,
    headers: context.secrets(raw.headers ?? {}, [...path, 'headers']),
    auth: compileAuth(openapi.auth ?? {}, [...at, 'auth'], context),
    operations: compileSelection(openapi),
    group: openapi.group ?? 'none',
    groups: openapi.groups ?? {},
    outputSchemas: openapi.outputSchemas ?? 'exact',
    maxSchemaBytes: bytes(openapi.maxSchemaBytes, '32kb'),
    serverVariables: compileVariables(openapi.serverVariables ?? {}, [...at, 'serverVariables'], context),
    redirects: openapi.redirects ?? 'same-origin',
    maxResponseBytes: bytes(openapi.maxResponseBytes, '10mb'),
    referenceRoot:
      openapi.referenceRoot === undefined
        ? undefined
        : context.toAbsolute(context.plain(openapi.referenceRoot, [...at, 'referenceRoot'])),
  }
}

function compileVariables(raw: RawTexts, path: ConfigPath, context: CompileContext): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, text]) => [name, context.plain(String(text), [...path, name])]),
  )
}

function compileDocument(document: string, path: ConfigPath, context: CompileContext): string {
  const text = context.plain(document, path)
  return /^https?:\/\//i.test(text) ? text : warnMissing(text, path, context)
}

function compileAuth(
  raw: NonNullable<RawOpenApi['auth']>,
  path: ConfigPath,
  context: CompileContext,
): OpenApiAuthModel {
  const { bearer, basic, apiKeys = [], schemes = {}, clientCredentials } = raw
  return {
    bearer: bearer === undefined ? undefined : context.credential(bearer, [...path, 'bearer']),
    basic: basic && {
      username: context.text(basic.username, [...path, 'basic', 'username']),
      password: context.secret(basic.password, [...path, 'basic', 'password']),
    },
    apiKeys: apiKeys.map((key, index) => ({
      in: key.in ?? 'header',
      name: key.name,
      value: context.credential(key.value, [...path, 'apiKeys', index, 'value']),
    })),
    schemes: context.secrets(schemes, [...path, 'schemes']),
    clientCredentials: clientCredentials && {
      tokenUrl: context.plain(clientCredentials.tokenUrl, [...path, 'clientCredentials', 'tokenUrl']),
      clientId: context.plain(clientCredentials.clientId, [...path, 'clientCredentials', 'clientId']),
      clientSecret: context.credential(clientCredentials.clientSecret, [
        ...path,
        'clientCredentials',
        'clientSecret',
      ]),
      scopes: clientCredentials.scopes ?? [],
    },
  }
}

/** What every kind of target has, from the target itself, then `defaults`, then ours. */
function compileTargetOptions(source: TargetSource, context: CompileContext): TargetOptions {
  const { name, raw, defaults } = source
  const credentials = compileCredentials(source, context)
  const isolation = credentials.kind === 'shared' ? (raw.isolation ?? defaults.isolation ?? 'auto') : 'user'
  const isShared = isolation === 'shared' || isolation === 'auto'
  const timeouts = { ...defaults.timeouts, ...raw.timeouts }
  const restart = { ...defaults.restart, ...raw.restart }
  const health = { ...defaults.health, ...raw.health }
  return {
    name,
    title: raw.title,
    enabled: isEnabled(source, context),
    disabledReason: undefined,
    prefix: compilePrefix(source),
    isolation,
    credentials,
    maxInstances: raw.maxInstances ?? defaults.maxInstances ?? 50,
    // There is no caller yet that a private connection could be started for.
    start: isShared ? (raw.start ?? defaults.start ?? 'eager') : 'lazy',
    required: raw.required ?? false,
    idleStop: durationOrOff(raw.idleStop ?? defaults.idleStop, isShared ? false : '5m'),
    timeouts: {
      start: duration(timeouts.start, '60s'),
      install: duration(timeouts.install, '15m'),
      idle: duration(timeouts.idle, '60s'),
      request: duration(timeouts.request, '10m'),
    },
    concurrency: raw.concurrency ?? defaults.concurrency ?? 64,
    queue: raw.queue ?? defaults.queue ?? 1000,
    era: raw.era ?? defaults.era ?? 'auto',
    tasks: raw.tasks ?? defaults.tasks ?? 'wait',
    restart: {
      policy: restart.policy ?? 'always',
      minDelay: duration(restart.minDelay, '500ms'),
      maxDelay: duration(restart.maxDelay, isElsewhere(raw) ? '5s' : '1m'),
      quarantineAfter: restart.quarantineAfter ?? 5,
      quarantineFor: duration(restart.quarantineFor, '5m'),
    },
    health: {
      interval: durationOrOff(health.interval, '30s'),
      timeout: duration(health.timeout, '10s'),
      failures: health.failures ?? 3,
    },
    forwardHeaders: (raw.forwardHeaders ?? defaults.forwardHeaders ?? []).map((header) =>
      header.toLowerCase(),
    ),
    tools: compileSelection(raw.tools, raw.disabledTools),
    prompts: compileSelection(raw.prompts),
    resources: compileSelection(raw.resources),
  }
}

function compileSelection(raw: RawSelection = {}, alsoExclude: readonly string[] = []): SelectionModel {
  return {
    include: raw.include ?? [],
    exclude: [...(raw.exclude ?? []), ...alsoExclude],
    rename: raw.rename ?? {},
    describe: raw.describe ?? {},
  }
}

/** A name fit for tool names: models' APIs take letters, digits, `_` and `-` only. */
export function toPrefix(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'target'
}

/** Asking a server again costs next to nothing; starting a program again and again does not. */
function isElsewhere({ command, module, replay }: TargetSource['raw']): boolean {
  return command === undefined && module === undefined && replay === undefined
}

function compilePrefix({ name, raw, prefixed }: TargetSource): string {
  if (raw.prefix === false || (raw.prefix === undefined && !prefixed)) return ''
  return raw.prefix ?? toPrefix(name)
}

function isEnabled({ raw, path }: TargetSource, context: CompileContext): boolean {
  if (raw.disabled === true) return false
  if (typeof raw.enabled !== 'string') return raw.enabled ?? true
  return readBoolean(raw.enabled, [...path, 'enabled'], context)
}

function readBoolean(reference: string, path: ConfigPath, context: CompileContext): boolean {
  const text = context.plain(reference, path).trim().toLowerCase()
  if (['', '0', 'false', 'no', 'off'].includes(text)) return false
  if (['1', 'true', 'yes', 'on'].includes(text)) return true
  const message = `${reference} is neither true nor false`
  context.report({ code: 'invalid-value', path, message, fix: 'Set it to "true" or "false"' })
  return false
}

function durationOrOff(raw: Quantity | false | undefined, fallback: Quantity | false): number | undefined {
  const value = raw ?? fallback
  return value === false ? undefined : duration(value, 0)
}
