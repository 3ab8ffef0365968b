import { McpError } from '@gantry/mcp/client'
import { isJsonObject, ProtocolError } from '@gantry/mcp/exchange'
import type { PlaygroundError, StartCall } from '../contract.ts'

/** Why a call failed, and what to do where that is known. */
export function toPlaygroundError(thrown: unknown, request: StartCall): PlaygroundError {
  const fix = fixFor(thrown, request)
  const base = { message: thrown instanceof Error ? thrown.message : String(thrown), ...(fix && { fix }) }
  if (thrown instanceof ProtocolError) {
    return { code: thrown.code, ...base, ...(thrown.data !== undefined && { data: thrown.data }) }
  }
  return { code: thrown instanceof McpError ? thrown.code : 'internal', ...base }
}

function fixFor(thrown: unknown, { params }: StartCall): string | undefined {
  if (thrown instanceof ProtocolError) {
    const { data, message } = thrown
    if (isJsonObject(data) && typeof data.target === 'string')
      return `Look at the target: gantry doctor ${data.target}`
    const name = params.name ?? params.uri
    if (/^Unknown (tool|prompt)|^Resource not found/.test(message) && typeof name === 'string') {
      return `Ask why it is missing: gantry why ${name}`
    }
    if (/capabilit/i.test(message)) return 'Let the client declare the capability that the server asks for.'
  }
  if (thrown instanceof McpError && thrown.code === 'missing_capability') {
    return 'Let the client declare the capability that the server asks for.'
  }
  return undefined
}
