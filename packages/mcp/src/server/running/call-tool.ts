import type { Exchange, Outcome } from '../../exchange/index.ts'
import { complete } from '../../exchange/exchange.ts'
import {
  isJsonObject,
  McpError,
  MISSING_CLIENT_CAPABILITY,
  ProtocolError,
  type JsonObject,
  withSources,
  writeJson,
} from '../../jsonrpc/index.ts'
import type { CallToolResult, ContentBlock } from '../../protocol/index.ts'
import { describeIssues, type Validation } from '../../schema/index.ts'
import { isBuiltContent, isContentBlock } from '../definitions/content.ts'
import { Declined } from '../questions/elicit.ts'
import { ToolResult } from '../definitions/definitions.ts'
import { Suspended } from '../questions/input-required.ts'
import { QuestionError } from '../questions/question-error.ts'
import { requireBlocks } from './require-content.ts'
import { requireJson } from './require-json.ts'
import { runHandler, type RunOptions } from './run-handler.ts'
import type { CompiledTool } from '../registry/tool-registry.ts'

/** Thrown by a tool whose message is meant for the model; other exceptions are not shown to it. */
export class ToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolError'
  }
}

export interface CallHost {
  readonly run: RunOptions
  /** Told about exceptions that are hidden from the client. */
  report(thrown: unknown, exchange: Exchange): void
}

/** Calls a tool. Everything that goes wrong inside it becomes a result, not an error (SEP-1303). */
export function callTool(tool: CompiledTool, exchange: Exchange, host: CallHost): Outcome | Promise<Outcome> {
  const args = exchange.params.arguments ?? {}
  const checked = tool.input.validate(args)
  return checked instanceof Promise
    ? checked.then((settled) => callChecked(tool, settled, exchange, host))
    : callChecked(tool, checked, exchange, host)
}

function callChecked(
  tool: CompiledTool,
  checked: Validation,
  exchange: Exchange,
  host: CallHost,
): Outcome | Promise<Outcome> {
  if (!checked.ok) return errorResult(describeIssues(checked.issues))
  try {
    const returned = runHandler<unknown>(exchange, host.run, (context) =>
      tool.definition.run(checked.value, context),
    )
    if (!(returned instanceof Promise)) return conclude(tool, returned, exchange, host)
    return returned
      .then((value) => conclude(tool, value, exchange, host))
      .catch((thrown) => failed(thrown, exchange, host))
  } catch (thrown) {
    return failed(thrown, exchange, host)
  }
}

function conclude(
  tool: CompiledTool,
  value: unknown,
  exchange: Exchange,
  host: CallHost,
): Outcome | Promise<Outcome> {
  if (value instanceof Suspended) return value
  if (value instanceof ToolResult) return writtenOut(tool, value.result, exchange, host)
  if (tool.output) return structured(tool, value, exchange, host, structuredResult)
  if (isWholeResult(value)) return failed(wholeResult(tool), exchange, host)
  const result = toResult(writable(value, host))
  requireBlocks(result.content)
  return complete(result)
}

/**
 * Whether a value is a whole result, as handlers of other SDKs return it. As a value it would be sent as data that no
 * client expects.
 */
function isWholeResult(value: unknown): boolean {
  if (!isJsonObject(value) || !Array.isArray(value.content)) return false
  const { content } = value
  return (
    content.length > 0 &&
    content.every(isContentBlock) &&
    Object.keys(value).every((key) => WHOLE_RESULT.test(key))
  )
}

const WHOLE_RESULT = /^(content|structuredContent|isError|_meta)$/

function wholeResult({ name }: CompiledTool): McpError {
  const advice = 'return its content, a value, or new ToolResult({ content })'
  return new McpError('invalid_output', `The tool "${name}" returned a whole result: ${advice}`)
}

/** Throws for values that JSON would silently lose. */
function writable(value: unknown, { run: { exact } }: CallHost): unknown {
  requireJson(value, exact)
  return exact ? withSources(value) : value
}

/** The output is promised to clients, and a result that is written out in full keeps the promise as well. */
function writtenOut(
  tool: CompiledTool,
  result: CallToolResult,
  exchange: Exchange,
  host: CallHost,
): Outcome | Promise<Outcome> {
  requireJson(result, host.run.exact)
  requireBlocks(result.content)
  if (!tool.output || result.isError) return complete(result)
  return structured(tool, result.structuredContent, exchange, host, (structuredContent) => ({
    ...result,
    structuredContent,
  }))
}

function structured(
  tool: CompiledTool,
  value: unknown,
  exchange: Exchange,
  host: CallHost,
  toResult: (value: unknown) => CallToolResult,
): Outcome | Promise<Outcome> {
  const checked = isBuiltContent(value) ? contentInstead() : tool.output!.validate(value)
  const settle = (settled: Validation): Outcome => {
    if (settled.ok) return complete(toResult(writable(settled.value, host)))
    const problem = new McpError(
      'invalid_output',
      `The tool "${tool.name}" returned an ${describeIssues(settled.issues, 'output').replace('I', 'i')}`,
    )
    return failed(problem, exchange, host)
  }
  return checked instanceof Promise ? checked.then(settle) : settle(checked)
}

function contentInstead(): Validation {
  const message =
    'content, and no value of its output schema; new ToolResult({ content, structuredContent }) has both'
  return { ok: false, issues: [{ path: '', message }] }
}

/** Both forms, so that clients which know only text lose nothing (2025-06-18, Structured Content). */
function structuredResult(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: writeJson(value) }], structuredContent: value }
}

function toResult(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  if (value === undefined || value === null) return { content: [] }
  if (isContentBlock(value)) return { content: [value] }
  if (Array.isArray(value) && value.every(isContentBlock)) return { content: value as ContentBlock[] }
  if (isJsonObject(value)) return structuredResult(value)
  return { content: [{ type: 'text', text: Array.isArray(value) ? writeJson(value) : String(value) }] }
}

function failed(thrown: unknown, exchange: Exchange, host: CallHost): Outcome {
  if (thrown instanceof ToolError || thrown instanceof Declined) return errorResult(thrown.message)
  if (thrown instanceof ProtocolError) throw thrown
  if (thrown instanceof QuestionError) {
    const error = thrown.toProtocolError(exchange)
    if (error.code === MISSING_CLIENT_CAPABILITY) throw error
    return errorResult(thrown.message)
  }
  if (!exchange.signal.aborted) host.report(thrown, exchange)
  return errorResult('Internal error occurred')
}

function errorResult(message: string): Outcome {
  const result: JsonObject = { content: [{ type: 'text', text: message }], isError: true }
  return complete(result)
}
