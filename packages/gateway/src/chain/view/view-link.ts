import {
  complete,
  copyWith,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isJsonObject,
  ProtocolError,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import { type Filled, type ViewModel, viewEntryKey } from '../../model/index.ts'
import { declaredNames } from '../../rules/declared-names.ts'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { mirroredArguments } from '../resolve/resolver.ts'
import { factsOf } from './facts-of.ts'
import { argumentsOf, ViewArguments } from './view-arguments.ts'

const WITH_PARAMETERS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'completion/complete'])

/** Turns the parameters of a view into those of its targets. Links behind it see what the target will see. */
export function viewLink(view: ViewModel | undefined): Link | undefined {
  const changed = [...(view?.entries ?? [])].filter(([, { parameters }]) => parameters.size > 0)
  if (changed.length === 0) return undefined
  const shapes = new Map(changed.map(([key, entry]) => [key, new ViewArguments(entry)]))
  return async (exchange, next) => {
    const shape = shapeOf(exchange, shapes)
    if (!shape) return next()
    if (exchange.method === 'completion/complete') return suggest(exchange, shape, next)
    const given = argumentsOf(exchange.params)
    // Some servers take a list, or a text that is JSON, for arguments.
    const problem = given ? await shape.problem(given) : 'they must be an object'
    if (!given || problem !== undefined) return refuse(exchange, String(problem))
    change(exchange as ResolvedExchange, filledIn(shape, given, exchange))
    return next()
  }
}

function shapeOf(
  { method, resolved }: GatewayExchange,
  shapes: ReadonlyMap<string, ViewArguments>,
): ViewArguments | undefined {
  if (!resolved || !WITH_PARAMETERS.has(method)) return undefined
  const { kind, target, name } = resolved
  return shapes.get(viewEntryKey(kind as 'tools' | 'prompts', target.name, name))
}

function filledIn(shape: ViewArguments, given: JsonObject, exchange: GatewayExchange): JsonObject {
  return shape.toTarget(given, declaredBy(exchange), (filled) => fill(filled, exchange))
}

function declaredBy({ resolved }: GatewayExchange): ReadonlySet<string> {
  const { original, item } = resolved?.entry ?? {}
  return declaredNames(original ?? item)
}

/**
 * A hidden parameter has no completions, like a parameter that does not exist. Values that the view does not accept are
 * neither suggested nor a reason for suggestions.
 */
async function suggest(
  exchange: GatewayExchange,
  shape: ViewArguments,
  next: Parameters<Link>[1],
): Promise<Outcome> {
  const { argument, context } = exchange.params as { argument: JsonObject; context?: unknown }
  const declared = declaredBy(exchange)
  const name = String(argument.name)
  const own = shape.ownName(name, declared)
  const given = isJsonObject(context) && isJsonObject(context.arguments) ? context.arguments : {}
  if (own === undefined || !declared.has(own) || (await shape.problem(given)) !== undefined) {
    return complete({ completion: { values: [], total: 0, hasMore: false } })
  }
  const known = { ...(isJsonObject(context) && context), arguments: filledIn(shape, given, exchange) }
  exchange.params = { ...exchange.params, argument: { ...argument, name: own }, context: known }
  const outcome = await next()
  return outcome.type === 'complete' ? acceptedOnly(outcome, name, shape) : outcome
}

async function acceptedOnly(
  outcome: Outcome & { type: 'complete' },
  name: string,
  shape: ViewArguments,
): Promise<Outcome> {
  const { completion } = outcome.result
  if (!isJsonObject(completion) || !Array.isArray(completion.values)) return outcome
  const values: unknown[] = []
  for (const value of completion.values)
    if ((await shape.problem({ [name]: value })) === undefined) values.push(value)
  if (values.length === completion.values.length) return outcome
  const { total: _total, ...rest } = completion
  return complete({ ...outcome.result, completion: { ...rest, values } })
}

/** A model can mend its arguments when a tool says what is wrong with them. */
function refuse({ method }: GatewayExchange, problem: string): Outcome {
  if (method !== 'tools/call') throw new ProtocolError(INVALID_PARAMS, `Invalid params: ${problem}`)
  return complete({ content: [{ type: 'text', text: `Invalid arguments: ${problem}` }], isError: true })
}

/** Throws where an expression has no value: a parameter that is not filled in could be anything. */
function fill(filled: Filled, exchange: GatewayExchange): unknown {
  if ('value' in filled) return filled.value
  try {
    return filled.expression.evaluate(factsOf(exchange))
  } catch (cause) {
    const message =
      'The gateway could not fill in a parameter of this call. Its operator finds the cause in the log.'
    throw new ProtocolError(INTERNAL_ERROR, message, undefined, {
      cause: new Error(`"${filled.expression.source}" has no value: ${(cause as Error).message}`),
    })
  }
}

function change(exchange: ResolvedExchange, args: JsonObject): void {
  const { resolved } = exchange
  const params = copyWith(exchange.params, 'arguments', args)
  const { original } = resolved.entry ?? {}
  exchange.params = params
  exchange.resolved = {
    ...resolved,
    params,
    mirrored: original && resolved.kind === 'tools' ? mirroredArguments(original, args) : resolved.mirrored,
  }
}
