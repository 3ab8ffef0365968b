import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { closedParameters, type ViewEntry } from '../../model/index.ts'
import { shapeSchema } from './shape-schema.ts'

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
 * Whether all parameters that the view fixes or narrows exist. If not, the target has changed, or the view was written
 * for another target: the hidden parameter could have another name now.
 */
export function fitsView(item: JsonObject, { parameters }: ViewEntry): boolean {
  const known = closedParameters(item)
  return [...parameters].every(
    ([name, { fixed, narrow }]) =>
      !known || known.includes(name) || (!fixed && Object.keys(narrow).length === 0),
  )
}

function shapeArguments(given: readonly unknown[], parameters: ViewEntry['parameters']): unknown[] {
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
