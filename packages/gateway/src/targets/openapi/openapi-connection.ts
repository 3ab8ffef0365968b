import { eraOf, LATEST_MODERN, PlainExchange } from '@gantry/mcp/exchange'
import { McpError } from '@gantry/mcp/client'
import type { Discovery, Implementation } from '@gantry/mcp/server'
import { displayUrl, type OpenApiTarget } from '../../model/index.ts'
import type { Handshake } from '../../telemetry/handshake.ts'
import type { TargetConnection } from '../connected/target-connection.ts'
import { fromModel } from './from-model.ts'
import { createOpenApiTarget } from './open-api-target.ts'

/** An API that is described, not a server that speaks MCP: its calls are made from here. */
export async function connectToApi(
  model: OpenApiTarget,
  services: { readonly info: Implementation; readonly handshake: Handshake },
  signal: AbortSignal,
): Promise<TargetConnection> {
  services.handshake.begin('load', displayUrl(model.document))
  const target = await createOpenApiTarget(fromModel(model), signal)
  for (const warning of target.warnings) services.handshake.warn(warning)
  const client = { info: services.info, capabilities: {}, version: LATEST_MODERN }
  const discovered = await target.handle(new PlainExchange({ method: 'server/discover', params: {}, client }))
  if (discovered.type !== 'complete') throw new McpError('bad_response', 'The description offers nothing')
  services.handshake.succeed(`${target.tools.length} tools`)
  return {
    era: eraOf(LATEST_MODERN),
    version: LATEST_MODERN,
    discovery: discovered.result as unknown as Discovery,
    transport: 'openapi',
    handle: target.handle,
    onClose: undefined,
    close: async () => target.close(),
  }
}
