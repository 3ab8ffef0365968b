import { isJsonObject, mirrorArguments, type JsonObject } from '@gantry/mcp/exchange'
import { headerParameters, type HeaderParameter } from '@gantry/mcp/server'

/** Schemas are analysed once: entries of the catalog live until their target's lists change. */
const known = new WeakMap<object, readonly HeaderParameter[]>()

/** The parameters of a tool that HTTP mirrors into headers (2026-07-28, `x-mcp-header`). */
export function headerParametersOf(tool: JsonObject): readonly HeaderParameter[] {
  let parameters = known.get(tool)
  if (!parameters) {
    const found = headerParameters(isJsonObject(tool.inputSchema) ? tool.inputSchema : {})
    parameters = found.ok ? found.parameters : []
    known.set(tool, parameters)
  }
  return parameters
}

/** The `Mcp-Param-*` headers of a call for the hop to its target; the wire encodes their values. */
export function mirroredArguments(tool: JsonObject, args: unknown): Record<string, string> | undefined {
  return mirrorArguments(headerParametersOf(tool), args)
}
