import { writeJson } from '@gantry/mcp/exchange'
import { isSame } from '../../model/index.ts'
import { textDiff } from '../config/text-diff.ts'
import type { ChangedPart, JsonObject } from '../contract.ts'

/** Which members of a definition are different, how, and in words where that is possible. */
export async function compareDefinitions(before: JsonObject, after: JsonObject): Promise<ChangedPart[]> {
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = members.filter((member) => !isSame(before[member], after[member]))
  return Promise.all(
    changed.map(async (member) => ({
      member,
      summary: summarise(member, before[member], after[member]),
      diff: await textDiff(print(before[member]), print(after[member])),
    })),
  )
}

function print(value: unknown): string {
  if (value === undefined) return ''
  return `${typeof value === 'string' ? value : writeJson(value, undefined, 2)}\n`
}

function summarise(member: string, before: unknown, after: unknown): string[] {
  if (before === undefined) return [`"${member}" is new`]
  if (after === undefined) return [`"${member}" is gone`]
  if (isRecord(before) && isRecord(after) && /Schema$/.test(member)) return compareSchemas(before, after)
  return []
}

type Fields = Record<string, unknown>

function compareSchemas(before: Fields, after: Fields): string[] {
  const was = isRecord(before.properties) ? before.properties : {}
  const is = isRecord(after.properties) ? after.properties : {}
  const wasRequired = new Set(Array.isArray(before.required) ? before.required : [])
  const isRequired = new Set(Array.isArray(after.required) ? after.required : [])
  const words: string[] = []
  for (const name of Object.keys(is)) {
    if (!Object.hasOwn(was, name))
      words.push(`"${name}" is new${isRequired.has(name) ? ' and required' : ''}`)
  }
  for (const name of Object.keys(was)) {
    if (!Object.hasOwn(is, name)) {
      words.push(`"${name}" is gone`)
      continue
    }
    words.push(...compareProperty(name, was[name], is[name]))
    if (isRequired.has(name) && !wasRequired.has(name)) words.push(`"${name}" became required`)
    if (!isRequired.has(name) && wasRequired.has(name)) words.push(`"${name}" became optional`)
  }
  return words
}

function compareProperty(name: string, before: unknown, after: unknown): string[] {
  if (isSame(before, after) || !isRecord(before) || !isRecord(after)) return []
  if (!isSame(before.type, after.type)) {
    return [`"${name}" was ${JSON.stringify(before.type)} and is ${JSON.stringify(after.type)}`]
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !isSame(before[key], after[key]),
  )
  return [`"${name}": ${keys.join(', ')} changed`]
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
