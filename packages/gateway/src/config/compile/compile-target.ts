import type {
  OpenapiAuthSettings,
  OpenapiSettings,
  OpenApiAuthModel,
  OpenApiTarget,
  RawTarget,
  SelectionModel,
  SelectionSettings,
  TargetModel,
  TargetOptions,
  TargetSettings,
} from '../../model/index.ts'
import { compileCredentials } from './compile-credentials.ts'
import {
  compileInProcess,
  compileReplay,
  compileStdio,
  compileUrl,
  warnMissing,
  type TargetSource,
} from './compile-target-kinds.ts'
import type { Section } from './section.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

export function compileTarget(source: TargetSource): TargetModel {
  const { context } = source.section
  const start = context.problems.length
  const target = compileKind(source, compileTargetOptions(source))
  const reason = context.demoteUnresolved(start, target.enabled ? 'warning' : 'nothing')
  return target.enabled && reason !== undefined
    ? { ...target, enabled: false, disabledReason: reason }
    : target
}

/** The schema sees to it that the target has exactly one of these keys. */
function compileKind(source: TargetSource, options: TargetOptions): TargetModel {
  const { raw } = source
  if (raw.command !== undefined) return compileStdio(source, options)
  if (raw.module !== undefined) return compileInProcess(source, options)
  if (raw.openapi !== undefined) return compileOpenApi(source, options)
  if (raw.replay !== undefined) return compileReplay(source, options)
  return compileUrl(source, options)
}

function compileOpenApi({ section, trustedHosts }: TargetSource, options: TargetOptions): OpenApiTarget {
  const openapi = section.at('openapi')
  const { group, groups, outputSchemas, maxSchemaBytes, redirects, maxResponseBytes } = openapi.value
  return {
    ...options,
    kind: 'openapi',
    document: compileDocument(openapi),
    baseUrl: openapi.plain('baseUrl'),
    trustedHosts,
    headers: section.secrets('headers'),
    auth: compileAuth(openapi.at('auth')),
    operations: compileSelection(openapi.value),
    group,
    groups,
    outputSchemas,
    maxSchemaBytes,
    serverVariables: compileVariables(openapi),
    redirects,
    maxResponseBytes,
    referenceRoot: openapi.file('referenceRoot'),
  }
}

function compileVariables({ value, path, context }: Section<OpenapiSettings>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value.serverVariables).map(([name, text]) => [
      name,
      context.plain(String(text), [...path, 'serverVariables', name]),
    ]),
  )
}

function compileDocument(section: Section<OpenapiSettings>): string {
  const text = section.plain('document')
  return /^https?:\/\//i.test(text) ? text : warnMissing(text, section, 'document')
}

function compileAuth(section: Section<OpenapiAuthSettings>): OpenApiAuthModel {
  const basic = section.value.basic && section.at('basic')
  const client = section.value.clientCredentials && section.at('clientCredentials')
  return {
    bearer: section.credential('bearer'),
    basic: basic && { username: basic.text('username'), password: basic.secret('password') },
    apiKeys: section
      .at('apiKeys')
      .each()
      .map((key) => ({ in: key.value.in, name: key.value.name, value: key.credential('value') })),
    schemes: section.secrets('schemes'),
    clientCredentials: client && {
      tokenUrl: client.plain('tokenUrl'),
      clientId: client.plain('clientId'),
      clientSecret: client.credential('clientSecret'),
      scopes: client.value.scopes,
    },
  }
}

/** Compiles the settings that every kind of target has. */
function compileTargetOptions(source: TargetSource): TargetOptions {
  const { name, section, raw } = source
  const settings = section.value
  const { restart, health } = settings
  const credentials = compileCredentials(section, raw)
  const isolation = credentials.kind === 'shared' ? (settings.isolation ?? 'auto') : 'user'
  const isShared = isolation === 'shared' || isolation === 'auto'
  return {
    name,
    title: settings.title,
    enabled: isEnabled(section),
    disabledReason: undefined,
    prefix: compilePrefix(source),
    isolation,
    credentials,
    maxInstances: settings.maxInstances,
    // A private connection is started for a caller, and no caller is known yet.
    start: isShared ? settings.start : 'lazy',
    required: settings.required,
    idleStop: orUndefined(settings.idleStop ?? (isShared ? false : 5 * MINUTE)),
    timeouts: settings.timeouts,
    concurrency: settings.concurrency,
    queue: settings.queue,
    era: settings.era,
    tasks: settings.tasks,
    restart: { ...restart, maxDelay: restart.maxDelay ?? (isElsewhere(raw) ? 5 * SECOND : MINUTE) },
    health: { ...health, interval: orUndefined(health.interval) },
    forwardHeaders: settings.forwardHeaders.map((header) => header.toLowerCase()),
    tools: compileSelection(settings.tools, settings.disabledTools),
    prompts: settings.prompts,
    resources: settings.resources,
  }
}

function compileSelection(
  { include, exclude, rename, describe }: SelectionSettings,
  alsoExclude: readonly string[] = [],
): SelectionModel {
  return { include, exclude: [...exclude, ...alsoExclude], rename, describe }
}

/** A name fit for tool names: models' APIs take letters, digits, `_` and `-` only. */
export function toPrefix(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'target'
}

/** Asking a server again costs next to nothing; starting a program again and again does not. */
function isElsewhere({ command, module, replay }: RawTarget): boolean {
  return command === undefined && module === undefined && replay === undefined
}

function compilePrefix({ name, section, prefixed }: TargetSource): string {
  const { prefix } = section.value
  if (prefix === false || (prefix === undefined && !prefixed)) return ''
  return prefix ?? toPrefix(name)
}

function isEnabled(section: Section<TargetSettings>): boolean {
  const { disabled, enabled } = section.value
  if (disabled === true) return false
  if (typeof enabled === 'boolean') return enabled
  const text = section.context
    .plain(enabled, [...section.path, 'enabled'])
    .trim()
    .toLowerCase()
  if (['', '0', 'false', 'no', 'off'].includes(text)) return false
  if (['1', 'true', 'yes', 'on'].includes(text)) return true
  const message = `${enabled} is neither true nor false`
  section.report({ code: 'invalid-value', message, fix: 'Set it to "true" or "false"' }, 'enabled')
  return false
}

/** A duration that may be switched off. */
function orUndefined(duration: number | false): number | undefined {
  return duration === false ? undefined : duration
}
