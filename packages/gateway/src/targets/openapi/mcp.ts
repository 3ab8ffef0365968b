import type { Duration, JsonObject, JsonSchema, ToolAnnotations } from '@gantry/mcp/server'

// The few words of MCP that an OpenAPI target needs besides exchanges.
export type { Duration, JsonObject, JsonSchema, ToolAnnotations }

export interface Tool {
  name: string
  title?: string
  description?: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations?: ToolAnnotations
  _meta?: JsonObject
}
