import { McpError } from './mcp-error.ts'
import { isJsonObject, type JsonRpcMessage } from './message.ts'
import { writeJson } from './write-json.ts'

/** The text of our own message. Values without a JSON form are the author's fault, and nothing is sent. */
export function toJsonText(message: JsonRpcMessage): string {
  try {
    return writeJson(message)
  } catch (cause) {
    throw unwritable(message, cause)
  }
}

function unwritable(message: JsonRpcMessage, cause: unknown): McpError {
  const found = find('params' in message ? message.params : (message as { result?: unknown }).result)
  const where = found ? `${found.path} is ${found.what}` : String((cause as Error).message)
  const details = { ...(found && { path: found.path }) }
  if (!('method' in message)) {
    return new McpError('invalid_answer', `The answer cannot be written as JSON: ${where}`, {
      cause,
      details,
    })
  }
  const { method } = message
  const text = `The arguments of ${method} cannot be written as JSON: ${where}`
  return new McpError('invalid_argument', text, { cause, details: { method, ...details } })
}

interface Found {
  path: string
  what: string
}

/** Deeper than this nobody reads a path. */
const DEEPEST = 100

/** Where the first value is that cannot be written; undefined where only the depth is at fault. */
function find(value: unknown, path = '', above: readonly object[] = []): Found | undefined {
  if (typeof value === 'bigint') return { path, what: 'a BigInt' }
  if (typeof value !== 'object' || value === null || above.length > DEEPEST) return undefined
  if (above.includes(value)) return { path, what: 'part of itself' }
  const within = [...above, value]
  if (Array.isArray(value)) {
    return first(value.map((item, index) => () => find(item, `${path}[${index}]`, within)))
  }
  if (!isJsonObject(value)) return undefined
  const members = Object.entries(value)
  return first(
    members.map(
      ([name, item]) =>
        () =>
          find(item, path ? `${path}.${name}` : name, within),
    ),
  )
}

function first(looks: readonly (() => Found | undefined)[]): Found | undefined {
  for (const look of looks) {
    const found = look()
    if (found) return found
  }
  return undefined
}
