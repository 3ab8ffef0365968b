import {
  complete,
  failure,
  isJsonObject,
  METHOD_NOT_FOUND,
  type Exchange,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import { UriTemplate } from '@gantry/mcp/server'
import { methodNotFound, type Destination } from './resolver.ts'
import { resourceNotFound } from './resource-finder.ts'

/** Says of a target's own URI whether the caller may read it. */
export type MayRead = (own: string) => boolean

/** What a target answered, without what the caller may not know. */
export function permittedOutcome(
  outcome: Outcome,
  { mayRead, params, object }: Destination,
  exchange: Exchange,
): Outcome {
  const { method } = exchange
  const isMissing = outcome.type === 'error' && outcome.error.code === METHOD_NOT_FOUND
  if (isMissing && object.kind === 'methods') return failure(methodNotFound(method))
  if (outcome.type !== 'complete' || !mayRead) return outcome
  const result = permittedResult(method, params, outcome.result, mayRead)
  if (!result) return failure(resourceNotFound(String(exchange.params.uri), exchange))
  return result === outcome.result ? outcome : complete(result)
}

/** An answer of a target without the resources in it that the caller may not read; undefined when nothing is left. */
function permittedResult(
  method: string,
  params: JsonObject,
  result: JsonObject,
  mayRead: MayRead,
): JsonObject | undefined {
  switch (method) {
    case 'completion/complete':
      return withoutDeniedValues(params, result, mayRead)
    case 'resources/read': {
      const left = withoutDenied(result, 'contents', mayRead)
      return left === result || (left.contents as unknown[]).length > 0 ? left : undefined
    }
    case 'resources/directory/read':
      return withoutDenied(result, 'resources', mayRead)
    case 'skills/get':
      return isJsonObject(result.skill)
        ? { ...result, skill: withoutDenied(result.skill, 'resources', mayRead) }
        : result
    default:
      return result
  }
}

/** The same object when nothing has to go. */
export function withoutDenied(holder: JsonObject, member: string, mayRead: MayRead): JsonObject {
  const items = holder[member]
  if (!Array.isArray(items)) return holder
  const kept = items.filter(
    (item) => !isJsonObject(item) || typeof item.uri !== 'string' || mayRead(item.uri),
  )
  return kept.length === items.length ? holder : { ...holder, [member]: kept }
}

/** Values that lead to nothing but denied resources are not suggested. */
function withoutDeniedValues(params: JsonObject, result: JsonObject, mayRead: MayRead): JsonObject {
  const { ref, argument, context } = params
  const { completion } = result
  if (!isJsonObject(ref) || typeof ref.uri !== 'string' || !isJsonObject(argument)) return result
  if (!isJsonObject(completion) || !Array.isArray(completion.values)) return result
  const given = isJsonObject(context) && isJsonObject(context.arguments) ? context.arguments : {}
  const name = String(argument.name)
  const template = templateOf(ref.uri)
  const values = completion.values.filter((value) =>
    urisOf(template, { ...given, [name]: value })?.every(mayRead),
  )
  if (values.length === completion.values.length) return result
  const { total: _total, ...rest } = completion
  return { ...result, completion: { ...rest, values } }
}

function templateOf(text: string): UriTemplate | undefined {
  try {
    return new UriTemplate(text)
  } catch {
    return undefined
  }
}

/** The URIs that values make of a template, with and without values for the rest; undefined when unknown. */
function urisOf(template: UriTemplate | undefined, values: JsonObject): string[] | undefined {
  if (!template) return undefined
  const places = Object.fromEntries(template.variables.map((variable) => [variable, `{${variable}}`]))
  try {
    return [template.expand(values), template.expand({ ...places, ...values })]
  } catch {
    return undefined
  }
}
