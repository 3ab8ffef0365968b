import { isJsonObject, type JsonObject } from '../../jsonrpc/index.ts'
import type { CreateMessageResult, Root } from '../../protocol/index.ts'
import { describeIssues } from '../../schema/index.ts'
import { QuestionError } from './question-error.ts'

// Handlers read these members without a look, so an answer that lacks them is no answer. Others are as the client sent
// them: handlers that do not need them should not fail without them.

export function checkSampled(answer: JsonObject): CreateMessageResult {
  const { content } = answer
  const isList = Array.isArray(content)
  for (const [index, block] of (isList ? content : [content]).entries()) {
    const path = isList ? `content[${index}]` : 'content'
    if (!isJsonObject(block) || typeof block.type !== 'string')
      throw misfit(path, 'must be content with a type')
    if (block.type === 'text' && typeof block.text !== 'string')
      throw misfit(`${path}.text`, 'must be string')
  }
  return answer as unknown as CreateMessageResult
}

export function checkRoots({ roots }: JsonObject): Root[] {
  if (!Array.isArray(roots)) throw misfit('roots', 'must be array')
  const odd = roots.findIndex((root) => typeof root?.uri !== 'string')
  if (odd !== -1) throw misfit(`roots[${odd}].uri`, 'must be string')
  return roots
}

function misfit(path: string, message: string): QuestionError {
  return new QuestionError('invalid_answer', describeIssues([{ path, message }], 'answer'))
}
