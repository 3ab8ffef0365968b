import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { closedParameters, type ViewEntry, type ViewParameter } from '../../model/index.ts'

/** A tool or prompt as a view shows it, but for its name. */
export function shapeEntry(item: JsonObject, entry: ViewEntry): JsonObject {
  const shown: JsonObject = { ...item }
  if (entry.title !== undefined) shown.title = entry.title
  if (entry.description !== undefined) shown.description = entry.description
  if (entry.parameters.size === 0) return shown
  if (isJsonObject(item.inputSchema)) shown.inputSchema = shapeSchema(item.inputSchema, entry.parameters)
  if (Array.isArray(item.arguments)) shown.arguments = shapeArguments(item.arguments, entry.parameters)
  return shown
}

/**
 * Whether all parameters that the view fixes or narrows are there. Otherwise the target has changed, or the view was
 * written for something else: what it keeps from clients could go by another name now.
 */
export function fitsView(item: JsonObject, { parameters }: ViewEntry): boolean {
  const known = closedParameters(item)
  return [...parameters].every(
    ([name, { fixed, narrow }]) =>
      !known || known.includes(name) || (!fixed && Object.keys(narrow).length === 0),
  )
}

type Parameters = ReadonlyMap<string, ViewParameter>

function shapeSchema(schema: JsonObject, parameters: Parameters): JsonObject {
  const properties = Object.entries(isJsonObject(schema.properties) ? schema.properties : {}).flatMap(
    ([name, property]): [string, unknown][] => {
      const parameter = parameters.get(name)
      if (!parameter) return [[name, property]]
      return parameter.fixed ? [] : [[parameter.rename ?? name, shapeProperty(property, parameter)]]
    },
  )
  const required = (Array.isArray(schema.required) ? schema.required : []).flatMap((name: unknown) => {
    const parameter = parameters.get(String(name))
    return parameter?.fixed || parameter?.default ? [] : [parameter?.rename ?? name]
  })
  const { required: _required, ...rest } = schema
  return {
    ...rest,
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  }
}

/** Both hold: what the target says, and what the view says. */
function shapeProperty(property: unknown, parameter: ViewParameter): unknown {
  if (!isJsonObject(property)) return property
  const shown: JsonObject = { ...property }
  for (const [keyword, wanted] of Object.entries(parameter.narrow)) {
    shown[keyword] = narrower(keyword, property[keyword], wanted)
  }
  if (parameter.description !== undefined) shown.description = parameter.description
  if (parameter.default && 'value' in parameter.default) shown.default = parameter.default.value
  return shown
}

function narrower(keyword: string, own: unknown, wanted: unknown): unknown {
  if (typeof own === 'number' && typeof wanted === 'number') {
    return keyword.startsWith('max') || keyword === 'exclusiveMaximum'
      ? Math.min(own, wanted)
      : Math.max(own, wanted)
  }
  if (keyword === 'enum' && Array.isArray(own) && Array.isArray(wanted)) {
    return own.filter((value) => wanted.includes(value))
  }
  return wanted
}

function shapeArguments(given: readonly unknown[], parameters: Parameters): unknown[] {
  return given.flatMap((argument) => {
    const parameter = isJsonObject(argument) ? parameters.get(String(argument.name)) : undefined
    if (!parameter) return [argument]
    if (parameter.fixed) return []
    const { rename, description } = parameter
    const shown: JsonObject = { ...(argument as JsonObject) }
    if (rename !== undefined) shown.name = rename
    if (description !== undefined) shown.description = description
    if (parameter.default) shown.required = false
    return [shown]
  })
}
