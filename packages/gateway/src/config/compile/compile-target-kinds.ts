import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import {
  displayUrl,
  Secret,
  type InProcessTarget,
  type OauthSettings,
  type OAuthModel,
  type ReplayTarget,
  type RawTarget,
  type StdioTarget,
  type TargetOptions,
  type TargetSettings,
  type UrlTarget,
} from '../../model/index.ts'
import type { Place, Section } from './section.ts'

/** One target of the file and what the rest of the file says about it. */
export interface TargetSource {
  readonly name: string
  /** Under `mcpServers` or `servers`, with `defaults` filled in. */
  readonly section: Section<TargetSettings>
  /** As it is written. */
  readonly raw: RawTarget
  /** Whether names start with the target's name when the target does not say. */
  readonly prefixed: boolean
  /** `server.trustedHosts`. */
  readonly trustedHosts: readonly string[]
}

export function compileStdio({ section }: TargetSource, options: TargetOptions): StdioTarget {
  const { args, cwd, envFile } = section.value
  const { context, path } = section
  return {
    ...options,
    kind: 'stdio',
    command: section.plain('command')!,
    args: args.map((arg, index) => context.text(arg, [...path, 'args', index])),
    env: { ...(envFile !== undefined && readEnvFile(section, envFile)), ...section.secrets('env') },
    cwd: cwd === undefined ? context.baseDir : existingFile(section, 'cwd'),
  }
}

export function compileUrl({ section, raw, trustedHosts }: TargetSource, options: TargetOptions): UrlTarget {
  const { type, oauth } = section.value
  const key = (['url', 'serverUrl', 'httpUrl'] as const).find((candidate) => raw[candidate] !== undefined)!
  const url = section.text(key)!
  reportBadUrl(url, section, key)
  return {
    ...options,
    kind: 'url',
    url,
    transport: raw.transport ?? transportOf(type),
    headers: section.secrets('headers'),
    oauth: oauth === false ? undefined : { ...compileOAuth(section.at('oauth').narrow(oauth)), trustedHosts },
  }
}

export function compileInProcess({ section }: TargetSource, options: TargetOptions): InProcessTarget {
  const module = section.plain('module')!
  return {
    ...options,
    kind: 'inProcess',
    module: isFile(module) ? warnMissing(toPath(module), section, 'module') : module,
    exportName: section.value.export,
    options: section.value.options,
  }
}

export function compileReplay({ section }: TargetSource, options: TargetOptions): ReplayTarget {
  return { ...options, kind: 'replay', file: existingFile(section, 'replay'), speed: section.value.speed }
}

/** The absolute path of something that ought to be there by now. */
function existingFile(section: Section<TargetSettings>, key: 'cwd' | 'replay'): string {
  return warnMissing(section.plain(key)!, section, key)
}

export function warnMissing(resolved: string, section: Place, key: string): string {
  const absolute = section.context.toAbsolute(resolved)
  if (resolved !== '' && !existsSync(absolute)) {
    const message = `${absolute} does not exist`
    const fix = 'Correct the path: it is relative to the configuration'
    section.report({ severity: 'warning', code: 'missing-file', message, fix }, key)
  }
  return absolute
}

function readEnvFile(section: Section<TargetSettings>, file: string): Record<string, Secret> {
  const text = section.context.read(section.plain('envFile')!, [...section.path, 'envFile'])
  const label = `\${file:${file}}`
  return Object.fromEntries(
    Object.entries(text === undefined ? {} : parseEnv(text)).map(([key, value]) => [
      key,
      new Secret(value ?? '', label),
    ]),
  )
}

function reportBadUrl(url: UrlTarget['url'], section: Place, key: string): void {
  const text = typeof url === 'string' ? url : url.reveal()
  if (text === '' || (URL.canParse(text) && /^https?:/i.test(text))) return
  const message = `${displayUrl(url)} is not the URL of a server`
  section.report({ code: 'invalid-value', message, fix: 'Write it in full: https://host/path' }, key)
}

function transportOf(type: string | undefined): UrlTarget['transport'] {
  if (type === 'sse') return 'sse'
  return type === undefined || type === 'stdio' ? 'auto' : 'http'
}

function compileOAuth(section: Section<OauthSettings>): Omit<OAuthModel, 'trustedHosts'> {
  const { grant, scopes, tokenEndpointAuthMethod, clientMetadataUrl, callbackPort } = section.value
  return {
    grant,
    clientId: section.plain('clientId'),
    clientSecret: section.credential('clientSecret'),
    privateKey: section.credential('privateKey'),
    tokenEndpointAuthMethod,
    clientMetadataUrl,
    scopes: typeof scopes === 'string' ? scopes.split(/\s+/).filter(Boolean) : scopes,
    callbackPort,
  }
}

/** A module that is not a package name. */
function isFile(module: string): boolean {
  return /^(\.{1,2}[/\\]|[/\\~]|[A-Za-z]:[/\\]|file:)/.test(module)
}

function toPath(module: string): string {
  return module.startsWith('file:') ? fileURLToPath(module) : module
}
