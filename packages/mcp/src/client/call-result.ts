import { isJsonObject, type JsonObject, McpError, parseJson } from '../jsonrpc/index.ts'
import type { ContentBlock, Meta } from '../protocol/index.ts'

/** The result of a tool. `raw` is the result as it came, with unknown members. */
export class CallResult<Structured = unknown> {
  readonly raw: JsonObject

  constructor(raw: JsonObject) {
    this.raw = raw
  }

  get content(): ContentBlock[] {
    return Array.isArray(this.raw.content) ? this.raw.content : []
  }

  get structured(): Structured | undefined {
    return this.raw.structuredContent as Structured | undefined
  }

  get isError(): boolean {
    return this.raw.isError === true
  }

  get meta(): Meta | undefined {
    return isJsonObject(this.raw._meta) ? this.raw._meta : undefined
  }

  text(): string {
    const { content } = this
    const only = content.length === 1 ? content[0] : undefined
    if (only?.type === 'text') return only.text
    return content.flatMap((block) => (block?.type === 'text' ? [block.text] : [])).join('\n')
  }

  /** The structured content or, from servers that have none, the text read as JSON. */
  json(): Structured {
    if (this.structured !== undefined) return this.structured
    const text = this.text()
    try {
      return parseJson(text) as Structured
    } catch (cause) {
      throw new McpError('bad_response', 'The result has no structured content and its text is not JSON', {
        cause,
        details: { text: text.slice(0, 1_000) },
      })
    }
  }
}
