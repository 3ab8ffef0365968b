import { isJsonObject, readJson } from '../../api/json.ts'

/** An object as people type it; empty is nothing. */
export function readObject(text: string): {
  readonly value?: Record<string, unknown>
  readonly problem?: string
} {
  if (text.trim() === '') return {}
  const value = readJson(text)?.value
  if (isJsonObject(value)) return { value }
  return { problem: 'Write a JSON object, such as {"name": "value"}.' }
}
