import { isJsonObject, JsonNumber } from '../jsonrpc/index.ts'

interface Mirrored {
  readonly path: readonly string[]
  readonly header: string
}

/** The `Mcp-Param-*` headers of a call, in plain values: what sends them encodes them (2026-07-28, basic/transports). */
export function mirrorArguments(
  parameters: readonly Mirrored[],
  args: unknown,
): Record<string, string> | undefined {
  if (parameters.length === 0) return undefined
  const headers: Record<string, string> = {}
  for (const { header, path } of parameters) {
    const value = argumentAt(args, path)
    if (['string', 'number', 'boolean', 'bigint'].includes(typeof value) || value instanceof JsonNumber)
      headers[`mcp-param-${header.toLowerCase()}`] = String(value)
  }
  return headers
}

/** The value at the exact path of the annotated property, own members only. */
export function argumentAt(args: unknown, path: readonly string[]): unknown {
  let value = args
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}
