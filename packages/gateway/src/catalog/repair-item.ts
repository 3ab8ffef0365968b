import { isJsonObject, toNumber, type JsonObject } from '@gantry/mcp/exchange'

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => toNumber(value) !== undefined
const isList: Check = (value) => Array.isArray(value) && value.every(isJsonObject)

/** The types of members that entries have in any list. Unknown members are kept. */
const MEMBERS: ReadonlyMap<string, Check> = new Map([
  ['title', isText],
  ['description', isText],
  ['mimeType', isText],
  ['size', isNumber],
  ['inputSchema', isJsonObject],
  ['outputSchema', isJsonObject],
  ['annotations', isJsonObject],
  ['arguments', isList],
  ['icons', isList],
  ['_meta', isJsonObject],
])

/** The members that every entry of a list has. The first one names it. */
const IDENTITY: Readonly<Record<string, readonly string[]>> = {
  tools: ['name'],
  prompts: ['name'],
  resources: ['uri', 'name'],
  resourceTemplates: ['uriTemplate', 'name'],
}

/** The name of an entry in its list; undefined for an unknown list. */
export function identityOf(item: JsonObject, list: string): unknown {
  const [key] = IDENTITY[list] ?? []
  return key === undefined ? undefined : item[key]
}

/** Repairs an entry so that strict clients can read the list; undefined when it has no name. */
export function repairItem(item: unknown, list: string): JsonObject | undefined {
  const [key, ...others] = IDENTITY[list] ?? []
  if (!isJsonObject(item)) return undefined
  if (key === undefined) return item
  const name = item[key]
  if (typeof name !== 'string' || name === '') return undefined
  const wrong = Object.keys(item).filter((member) => MEMBERS.get(member)?.(item[member]) === false)
  const unnamed = others.filter((other) => typeof item[other] !== 'string')
  const schema = item.inputSchema
  const untyped = list === 'tools' && !(isJsonObject(schema) && schema.type === 'object')
  if (wrong.length === 0 && unnamed.length === 0 && !untyped) return item
  const sound = { ...item }
  for (const member of wrong) delete sound[member]
  for (const other of unnamed) sound[other] = name
  if (untyped) sound.inputSchema = { ...(isJsonObject(schema) ? schema : {}), type: 'object' }
  return sound
}
