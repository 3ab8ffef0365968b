import { complete, failure, isJsonObject, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import { UriTemplate } from '@gantry/mcp/server'
import { absent } from '../absent.ts'
import type { ResolvedExchange } from '../gateway-exchange.ts'

/** Says of a target's own URI whether the caller may know of the resource, or may read it. */
type May = (own: string) => boolean

/** A result without what the caller may not know; undefined when nothing is left of it. */
type Permit = (result: JsonObject, exchange: ResolvedExchange) => JsonObject | undefined

const PERMITS: ReadonlyMap<string, Permit> = new Map<string, Permit>([
  [
    'completion/complete',
    (result, exchange) => withoutDeniedValues(exchange.params, result, maySee(exchange)),
  ],
  [
    'resources/read',
    (result, { visible, resolved: { catalog } }) => {
      const left = withoutDenied(result, 'contents', (own) => visible.mayRead(catalog, own))
      return left === result || (left.contents as unknown[]).length > 0 ? left : undefined
    },
  ],
  ['resources/directory/read', (result, exchange) => withoutDenied(result, 'resources', maySee(exchange))],
  [
    'skills/get',
    (result, exchange) =>
      isJsonObject(result.skill)
        ? { ...result, skill: withoutDenied(result.skill, 'resources', maySee(exchange)) }
        : result,
  ],
])

/** Whether what is asked for can name resources. Other results stay unread. */
export function showsResources({ method }: ResolvedExchange): boolean {
  return PERMITS.has(method)
}

/** What a target answered, without what the caller may not know. */
export function permittedOutcome(outcome: Outcome, exchange: ResolvedExchange): Outcome {
  const permit = PERMITS.get(exchange.method)
  if (outcome.type !== 'complete' || !permit) return outcome
  const result = permit(outcome.result, exchange)
  // Passes on the parsed value and not the text that it came in: the text may have a member twice.
  return result ? complete(result) : failure(absent(exchange))
}

function maySee({ visible, resolved: { catalog } }: ResolvedExchange): May {
  return (own) => visible.maySee('resources', catalog, own)
}

/** The same object when nothing has to go. */
export function withoutDenied(holder: JsonObject, member: string, may: May): JsonObject {
  const items = holder[member]
  if (!Array.isArray(items)) return holder
  const kept = items.filter((item) => !isJsonObject(item) || typeof item.uri !== 'string' || may(item.uri))
  return kept.length === items.length ? holder : { ...holder, [member]: kept }
}

/** Values that lead only to denied resources are not suggested. */
function withoutDeniedValues(params: JsonObject, result: JsonObject, may: May): JsonObject {
  const { ref, argument, context } = params
  const { completion } = result
  if (!isJsonObject(ref) || typeof ref.uri !== 'string' || !isJsonObject(argument)) return result
  if (!isJsonObject(completion) || !Array.isArray(completion.values)) return result
  const given = isJsonObject(context) && isJsonObject(context.arguments) ? context.arguments : {}
  const name = String(argument.name)
  const template = templateOf(ref.uri)
  const values = completion.values.filter((value) =>
    urisOf(template, { ...given, [name]: value })?.every(may),
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
