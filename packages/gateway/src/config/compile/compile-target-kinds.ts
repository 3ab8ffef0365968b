import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import {
  displayUrl,
  Secret,
  type InProcessTarget,
  type OAuthModel,
  type ReplayTarget,
  type StdioTarget,
  type TargetOptions,
  type UrlTarget,
} from '../../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import type { ConfigPath } from '../problem.ts'
import type { RawOAuth, RawTarget, RawTargetDefaults } from '../raw-target.ts'

export function compileStdio(
  { raw, path }: TargetSource,
  options: TargetOptions,
  context: CompileContext,
): StdioTarget {
  const file = raw.envFile === undefined ? {} : readEnvFile(raw.envFile, [...path, 'envFile'], context)
  return {
    ...options,
    kind: 'stdio',
    command: context.plain(raw.command!, [...path, 'command']),
    args: (raw.args ?? []).map((arg, index) => context.text(arg, [...path, 'args', index])),
    env: { ...file, ...context.secrets(raw.env ?? {}, [...path, 'env']) },
    cwd: raw.cwd === undefined ? context.baseDir : existingFile(raw.cwd, [...path, 'cwd'], context),
  }
}

export function compileUrl(source: TargetSource, options: TargetOptions, context: CompileContext): UrlTarget {
  const { raw, path, trustedHosts } = source
  const key = (['url', 'serverUrl', 'httpUrl'] as const).find((candidate) => raw[candidate] !== undefined)!
  const url = context.text(raw[key]!, [...path, key])
  reportBadUrl(url, [...path, key], context)
  return {
    ...options,
    kind: 'url',
    url,
    transport: raw.transport ?? transportOf(raw.type),
    headers: context.secrets(raw.headers ?? {}, [...path, 'headers']),
    oauth:
      raw.oauth === false
        ? undefined
        : { ...compileOAuth(raw.oauth ?? {}, [...path, 'oauth'], context), trustedHosts },
  }
}

export function compileInProcess(
  { raw, path }: TargetSource,
  options: TargetOptions,
  context: CompileContext,
): InProcessTarget {
  const module = context.plain(raw.module!, [...path, 'module'])
  return {
    ...options,
    kind: 'inProcess',
    module: isFile(module) ? warnMissing(toPath(module), [...path, 'module'], context) : module,
    exportName: raw.export ?? 'default',
    options: raw.options,
  }
}

export function compileReplay(
  { raw, path }: TargetSource,
  options: TargetOptions,
  context: CompileContext,
): ReplayTarget {
  const file = existingFile(raw.replay!, [...path, 'replay'], context)
  return { ...options, kind: 'replay', file, speed: raw.speed ?? 0 }
}

/** The absolute path of something that ought to be there by now. */
function existingFile(value: string, path: ConfigPath, context: CompileContext): string {
  return warnMissing(context.plain(value, path), path, context)
}

export function warnMissing(resolved: string, path: ConfigPath, context: CompileContext): string {
  const absolute = context.toAbsolute(resolved)
  if (resolved !== '' && !existsSync(absolute)) {
    const message = `${absolute} does not exist`
    const fix = 'Correct the path: it is relative to the configuration'
    context.report({ severity: 'warning', code: 'missing-file', path, message, fix })
  }
  return absolute
}

function readEnvFile(file: string, path: ConfigPath, context: CompileContext): Record<string, Secret> {
  const text = context.read(context.plain(file, path), path)
  const label = `\${file:${file}}`
  return Object.fromEntries(
    Object.entries(text === undefined ? {} : parseEnv(text)).map(([key, value]) => [
      key,
      new Secret(value ?? '', label),
    ]),
  )
}

function reportBadUrl(url: UrlTarget['url'], path: ConfigPath, context: CompileContext): void {
  const text = typeof url === 'string' ? url : url.reveal()
  if (text === '' || (URL.canParse(text) && /^https?:/i.test(text))) return
  const fix = 'Write it in full: https://host/path'
  context.report({
    code: 'invalid-value',
    path,
    message: `${displayUrl(url)} is not the URL of a server`,
    fix,
  })
}

function transportOf(type: string | undefined): UrlTarget['transport'] {
  if (type === 'sse') return 'sse'
  return type === undefined || type === 'stdio' ? 'auto' : 'http'
}

function compileOAuth(
  raw: RawOAuth,
  path: ConfigPath,
  context: CompileContext,
): Omit<OAuthModel, 'trustedHosts'> {
  const secret = (key: 'clientSecret' | 'privateKey') =>
    raw[key] === undefined ? undefined : context.credential(raw[key], [...path, key])
  return {
    grant: raw.grant ?? 'authorization_code',
    clientId: raw.clientId === undefined ? undefined : context.plain(raw.clientId, [...path, 'clientId']),
    clientSecret: secret('clientSecret'),
    privateKey: secret('privateKey'),
    tokenEndpointAuthMethod: raw.tokenEndpointAuthMethod,
    clientMetadataUrl: raw.clientMetadataUrl,
    scopes: typeof raw.scopes === 'string' ? raw.scopes.split(/\s+/).filter(Boolean) : (raw.scopes ?? []),
    callbackPort: raw.callbackPort,
  }
}

/** A module that is not a package name. */
function isFile(module: string): boolean {
  return /^(\.{1,2}[/\\]|[/\\~]|[A-Za-z]:[/\\]|file:)/.test(module)
}

function toPath(module: string): string {
  return module.startsWith('file:') ? fileURLToPath(module) : module
}

/** One target of the file and what the rest of the file says about it. */
export interface TargetSource {
  readonly name: string
  readonly raw: RawTarget
  /** Where it is: under `mcpServers` or `servers`. */
  readonly path: ConfigPath
  readonly defaults: RawTargetDefaults
  /** Whether names start with the target's name when the target does not say. */
  readonly prefixed: boolean
  /** `server.trustedHosts`. */
  readonly trustedHosts: readonly string[]
}
