import { isRequestId, type RequestId, parseJson } from '../../jsonrpc/index.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
/** Longer keys and ids are not looked at: they are neither `id` nor `method`, nor one of our ids. */
const MAX_TOKEN_BYTES = 256

/**
 * Finds out which request a message answers when the message is too large to be kept: reads its bytes as they
 * pass and remembers the `id` of the outermost object. The id may come first or last, depending on the
 * server, and results hold `id` members of their own, so guessing from the edges would fail the wrong request.
 */
export class ResponseIdScan {
  #depth = 0
  #inString = false
  #escaped = false
  #key = ''
  /** Bytes of the outermost object's current key or value; undefined while inside something deeper. */
  #token: number[] = []
  #id: RequestId | undefined
  #hasMethod = false

  push(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) this.#byte(bytes[i] as number)
  }

  /** The id, unless there was none or the message has a `method` and so answers nothing. */
  responseId(): RequestId | undefined {
    return this.#hasMethod ? undefined : this.#id
  }

  #byte(byte: number): void {
    if (this.#inString) {
      this.#keep(byte)
      if (this.#escaped) this.#escaped = false
      else if (byte === BACKSLASH) this.#escaped = true
      else if (byte === QUOTE) this.#inString = false
      return
    }
    switch (byte) {
      case QUOTE:
        this.#inString = true
        this.#keep(byte)
        return
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#depth += 1
        return
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (this.#depth === 1) this.#member()
        this.#depth -= 1
        return
      case COLON:
        if (this.#depth === 1) this.#key = this.#take()
        return
      case COMMA:
        if (this.#depth === 1) this.#member()
        return
      default:
        this.#keep(byte)
    }
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#token.length < MAX_TOKEN_BYTES) this.#token.push(byte)
  }

  #take(): string {
    const text = new TextDecoder().decode(Uint8Array.from(this.#token)).trim()
    this.#token = []
    return text
  }

  #member(): void {
    const value = this.#take()
    if (this.#key === '"method"') this.#hasMethod = true
    if (this.#key === '"id"') this.#id = readId(value)
    this.#key = ''
  }
}

function readId(text: string): RequestId | undefined {
  try {
    const value: unknown = parseJson(text)
    return isRequestId(value) ? value : undefined
  } catch {
    return undefined
  }
}
