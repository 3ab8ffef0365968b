import type { OpenApiTarget as OpenApiTargetModel } from '../../model/index.ts'
import type { OpenApiTargetOptions } from './options.ts'

/** The options of a target as the gateway's configuration describes it. */
export function fromModel(model: OpenApiTargetModel): OpenApiTargetOptions {
  return {
    document: model.document,
    name: model.name,
    baseUrl: model.baseUrl,
    trustedHosts: model.trustedHosts,
    headers: model.headers,
    auth: model.auth,
    ...model.operations,
    group: model.group,
    groups: model.groups,
    outputSchemas: model.outputSchemas,
    maxSchemaBytes: model.maxSchemaBytes,
    referenceRoot: model.referenceRoot,
    serverVariables: model.serverVariables,
    maxResponseBytes: model.maxResponseBytes,
    redirects: model.redirects,
    forwardHeaders: model.forwardHeaders,
    timeout: model.timeouts.request,
  }
}
