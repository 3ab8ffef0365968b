import type { TargetModel, TargetOptions, OpenApiAuthModel, OpenApiTarget } from '../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import {
  compileInProcess,
  compileReplay,
  compileStdio,
  compileUrl,
  warnMissing,
} from './compile-target-kinds.ts'
import { compileTargetOptions, compileSelection } from './compile-target-options.ts'
import type { TargetSource } from './target-source.ts'
import { bytes } from './compile-server.ts'
import type { ConfigPath } from './problem.ts'
import type { RawOpenApi } from './raw-config.ts'

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
    referenceRoot:
      openapi.referenceRoot === undefined
        ? undefined
        : context.toAbsolute(context.plain(openapi.referenceRoot, [...at, 'referenceRoot'])),
  }
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
