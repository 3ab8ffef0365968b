import { endOfString } from './json-strings.ts'
import { isJsonObject, isRequestId, type RequestId } from './message.ts'

export interface MessageHead {
  /** Null when it has none. */
  readonly id: RequestId | null
  readonly isResponse: boolean
}

/** The text is JSON, but has too many levels or values. */
export class RefusedJson extends SyntaxError {
  /** The messages of the text, so that the request can be answered or the caller told. */
  readonly heads: readonly MessageHead[]

  constructor(why: string, value: unknown) {
    super(why)
    this.name = 'RefusedJson'
    this.heads = (Array.isArray(value) ? value : [value]).flatMap((message) => {
      if (!isJsonObject(message)) return []
      const id = isRequestId(message.id) ? message.id : null
      return [{ id, isResponse: message.method === undefined }]
    })
  }

  get isResponse(): boolean {
    return this.heads[0]?.isResponse === true
  }

  /** The id of a single message; null for everything else. */
  get id(): RequestId | null {
    const [first] = this.heads
    return first && this.heads.length === 1 ? first.id : null
  }
}

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** What a message has besides the insides of `params` or `result` is short. */
const MAX_OUTLINE = 64 * 1024

/** A message with `null` for every array and object, to learn its id; undefined for batches and long ones. */
export function outlineOfMessage(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined
  let outline = ''
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth === 2) outline += text.slice(from, at)
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth-- !== 2) continue
      outline += 'null'
      from = at + 1
      if (outline.length > MAX_OUTLINE) return undefined
    }
  }
  if (depth !== 0 || outline.length + text.length - from > MAX_OUTLINE) return undefined
  try {
    return JSON.parse(outline + text.slice(from))
  } catch {
    return undefined
  }
}
