import { isJsonObject, jsonReader } from './contract.ts'

export { isJsonObject, toNumber, withPlainNumbers, writeJson } from './contract.ts'

/** `JSON.parse` that keeps numbers as they were written: ids of databases have more digits than a double. */
export const parseJson: (text: string) => unknown = jsonReader('source')

/** Undefined when the text is no JSON. */
export function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(text) }
  } catch {
    return undefined
  }
}

/** Whether a value of JSON has members. */
export function isBranch(value: unknown): value is object {
  return isJsonObject(value) || Array.isArray(value)
}
