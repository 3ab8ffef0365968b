import { isJsonObject, LateString, McpError } from '../../jsonrpc/index.ts'

// Types say the same. Programs without types would hear of it from clients that refuse the whole answer.

export function requireBlocks(content: unknown): void {
  if (content === undefined) return
  if (!Array.isArray(content)) throw wrong('result.content', 'must be a list of content')
  for (const [index, block] of content.entries()) requireBlock(block, `result.content[${index}]`)
}

export function requireMessages(messages: readonly unknown[]): void {
  for (const [index, message] of messages.entries()) {
    const path = `result.messages[${index}]`
    if (!isJsonObject(message) || (message.role !== 'user' && message.role !== 'assistant'))
      throw wrong(path, 'must be a message with the role "user" or "assistant"')
    requireBlock(message.content, `${path}.content`)
  }
}

export function requireContents(contents: readonly unknown[]): void {
  for (const [index, one] of contents.entries()) {
    const path = `result.contents[${index}]`
    if (!isJsonObject(one) || typeof one.uri !== 'string') throw wrong(path, 'must have a uri')
    if (!isText(one.text) && !isText(one.blob)) throw wrong(path, 'must have text or a blob')
  }
}

function requireBlock(block: unknown, path: string): void {
  // Later revisions may have more types.
  if (!isJsonObject(block) || typeof block.type !== 'string')
    throw wrong(path, 'must be content, as text(…) makes it')
  if (block.type === 'text' && !isText(block.text)) throw wrong(`${path}.text`, 'must be text')
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || value instanceof LateString
}

function wrong(path: string, what: string): McpError {
  return new McpError('invalid_output', `${path} ${what}`, { details: { path } })
}
