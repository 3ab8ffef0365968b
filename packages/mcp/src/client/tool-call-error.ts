import { McpError } from '../jsonrpc/index.ts'
import type { CallResult } from './call-result.ts'

/** A tool said that it failed (`isError`). Its result, with what it said, is at hand. */
export class ToolCallError extends McpError {
  readonly result: CallResult

  constructor(tool: string, result: CallResult) {
    super('tool_failed', result.text() || `The tool ${tool} failed and said no more`, { details: { tool } })
    this.name = 'ToolCallError'
    this.result = result
  }
}
