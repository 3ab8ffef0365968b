import type { SamplingMessage } from './types.ts'

interface Block {
  readonly type?: unknown
  readonly id?: unknown
  readonly toolUseId?: unknown
}

/** The fault in a conversation that uses tools (client/sampling, Message Content Constraints). */
export function samplingProblem(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return '"messages" must be an array'
  let open = new Set<unknown>()
  for (const [index, message] of (messages as SamplingMessage[]).entries()) {
    const blocks = blocksOf(message)
    const results = blocks.filter(({ type }) => type === 'tool_result')
    if (results.length > 0 && results.length < blocks.length) {
      return `message ${index} mixes tool results with other content`
    }
    const problem = unanswered(open, new Set(results.map(({ toolUseId }) => toolUseId)), index)
    if (problem !== undefined) return problem
    open = new Set(blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id))
  }
  return open.size > 0 ? `nothing answers the use of the tool ${first(open)}` : undefined
}

function unanswered(uses: Set<unknown>, results: Set<unknown>, index: number): string | undefined {
  const missing = first(new Set([...uses].filter((id) => !results.has(id))))
  if (missing !== undefined) return `message ${index} does not answer the use of the tool ${missing}`
  const extra = first(new Set([...results].filter((id) => !uses.has(id))))
  if (extra !== undefined)
    return `message ${index} has the result ${extra}, of a tool that was not used before it`
  return undefined
}

function first(ids: Set<unknown>): string | undefined {
  const [id] = ids
  return ids.size > 0 ? (JSON.stringify(id) ?? 'without an id') : undefined
}

function blocksOf(message: SamplingMessage | undefined): Block[] {
  const content: unknown = message?.content
  const blocks = Array.isArray(content) ? content : [content]
  return blocks.filter((block): block is Block => typeof block === 'object' && block !== null)
}
