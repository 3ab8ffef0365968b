import { isJsonObject, type JsonObject, McpError } from '../jsonrpc/index.ts'
import type { CreateMessageResult, ElicitResult, Root } from '../protocol/index.ts'

/** What a handler of the application returned; types do not hold for everybody. */
export function checkElicited(result: ElicitResult): ElicitResult {
  const isAnswer = isJsonObject(result) && ['accept', 'decline', 'cancel'].includes(result.action as string)
  if (!isAnswer) throw notAnAnswer('elicit', "{ action: 'accept' | 'decline' | 'cancel' }")
  return result
}

export function checkSampled(result: CreateMessageResult): JsonObject {
  const { model, content } = (result ?? {}) as Partial<CreateMessageResult>
  const isMessage = typeof model === 'string' && typeof content === 'object' && content !== null
  if (!isMessage) throw notAnAnswer('sample', "{ role: 'assistant', model, content }")
  return { ...result }
}

export function checkRoots(roots: readonly Root[]): Root[] {
  const isList = Array.isArray(roots) && roots.every((root) => typeof root?.uri === 'string')
  if (!isList) throw notAnAnswer('roots', '[{ uri }]')
  requireFiles(roots)
  return [...roots]
}

/** Said here, where it can be mended: a server could only call it invalid. */
function notAnAnswer(handler: string, expected: string): McpError {
  return new McpError('invalid_answer', `The "${handler}" handler must return ${expected}`, {
    details: { handler },
  })
}

/** The specification knows no other roots yet (MCP 2026-07-28, client/roots). */
function requireFiles(roots: readonly Root[]): void {
  const other = roots.find(({ uri }) => !/^file:\/\//i.test(uri))
  if (!other) return
  throw new McpError(
    'invalid_definition',
    `The root ${other.uri} is no file:// URI; roots are files and folders`,
  )
}
