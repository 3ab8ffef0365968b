import type { Exchange } from '@gantry/mcp/exchange'

// The few words of MCP that an OpenAPI target needs besides exchanges.

export type JsonObject = Exchange['params']
export type JsonSchema = JsonObject

export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

export interface Tool {
  name: string
  title?: string
  description?: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations?: ToolAnnotations
  _meta?: JsonObject
}
