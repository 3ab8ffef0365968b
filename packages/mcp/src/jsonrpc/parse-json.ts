import { isJsonObject, isRequestId, type RequestId } from './message.ts'

/**
 * How many levels of arrays and objects a text from outside may have. No schema or result of real servers comes
 * near it (serde reads 128 levels, PHP 512, Jackson 1000), and every function that calls itself once per level
 * has room for several times as many.
 */
export const MAX_DEPTH = 512

/** What is known of a message that is not read any further. */
export interface MessageHead {
  /** Null when it has none. */
  readonly id: RequestId | null
  readonly isResponse: boolean
}

/** The text is JSON, but deeper than `MAX_DEPTH`. */
export class TooDeepJson extends SyntaxError {
  /** The messages of the text, so that the request can be answered or the caller told. */
  readonly heads: readonly MessageHead[]

  constructor(value: unknown) {
    super(`the JSON has more than ${MAX_DEPTH} levels of arrays and objects`)
    this.name = 'TooDeepJson'
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

/**
 * `JSON.parse` for texts from outside: throws a `TooDeepJson`, which is a `SyntaxError`, when they have too many
 * levels. `JSON.parse` itself reads any depth, but little of what happens to the value afterwards could.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (couldBeDeep(text) && isTooDeep(value)) throw new TooDeepJson(value)
  return value
}

/** Each level has a bracket that opens and one that closes. Few texts have so many: this spares the others a walk. */
function couldBeDeep(text: string): boolean {
  return text.length > 2 * MAX_DEPTH && afterBrackets(text, '{', afterBrackets(text, '[', MAX_DEPTH)) < 0
}

/** How many of `left` remain after each bracket has taken one; stops as soon as there are too many. */
function afterBrackets(text: string, bracket: string, left: number): number {
  let rest = left
  for (let at = text.indexOf(bracket); at !== -1 && rest >= 0; at = text.indexOf(bracket, at + 1)) rest--
  return rest
}

/** Whether a value that was parsed elsewhere has more than `MAX_DEPTH` levels. */
export function isTooDeep(value: unknown): boolean {
  return isDeeper(value, MAX_DEPTH)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (isDeeper(value[index], levels - 1)) return true
    return false
  }
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true
  return false
}
