import { readJson } from '../../ui/text/read-json.ts'

/** An object as people type it; empty is nothing. */
export function readObject(text: string): {
  readonly value?: Record<string, unknown>
  readonly problem?: string
} {
  if (text.trim() === '') return {}
  const value = readJson(text)?.value
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return { value: value as Record<string, unknown> }
  }
  return { problem: 'Write a JSON object, such as {"name": "value"}.' }
}
