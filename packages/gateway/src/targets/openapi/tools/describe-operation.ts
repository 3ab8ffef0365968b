import type { ToolAnnotations } from '@gantry/mcp/server'
import type { Method, Operation } from '../operations/operation.ts'

/** Some descriptions hold whole manuals; every one of them would be in every listing. */
const MOST_CHARACTERS = 4_000
const MOST_TITLE = 120

export function describeOperation(operation: Operation): string {
  const { summary, description } = operation
  const parts: string[] = []
  if (operation.deprecated) parts.push('Deprecated.')
  if (summary && !description?.startsWith(summary)) parts.push(summary)
  if (description) parts.push(description)
  return shorten(parts.join('\n\n').trim() || operation.key, MOST_CHARACTERS)
}

export function titleOf(operation: Operation): string | undefined {
  return operation.summary ? shorten(operation.summary, MOST_TITLE) : undefined
}

export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`
}

/** The annotations that follow from a method (RFC 9110, section 9.2). POST and PATCH keep MCP's careful defaults. */
export function annotationsOf(method: Method): ToolAnnotations {
  switch (method) {
    case 'get':
    case 'head':
    case 'options':
      return { readOnlyHint: true, openWorldHint: true }
    case 'put':
      return { readOnlyHint: false, idempotentHint: true, openWorldHint: true }
    case 'delete':
      return { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }
    default:
      return { readOnlyHint: false, openWorldHint: true }
  }
}

/** Several operations behind one tool promise only what all of them promise. */
export function commonAnnotations(operations: readonly Operation[]): ToolAnnotations {
  const all = operations.map((operation) => annotationsOf(operation.method))
  const annotations: ToolAnnotations = {
    readOnlyHint: all.every((one) => one.readOnlyHint === true),
    openWorldHint: true,
  }
  if (annotations.readOnlyHint) return annotations
  if (all.some((one) => one.destructiveHint)) annotations.destructiveHint = true
  if (all.every((one) => one.readOnlyHint || one.idempotentHint)) annotations.idempotentHint = true
  return annotations
}
