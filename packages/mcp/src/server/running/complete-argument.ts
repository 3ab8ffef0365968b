import type { Exchange, Outcome } from '../../exchange/index.ts'
import { complete } from '../../exchange/exchange.ts'
import { INVALID_PARAMS, isJsonObject, ProtocolError } from '../../jsonrpc/index.ts'
import type { CompleteResult } from '../../protocol/index.ts'
import type { Completer } from '../definitions/definitions.ts'
import type { CompiledPrompt } from '../registry/prompt-registry.ts'
import type { Registry } from '../registry/registry.ts'
import type { CompiledTemplate } from '../registry/resource-registry.ts'
import { runHandler, type RunOptions } from './run-handler.ts'
import { UnknownName } from '../registry/tool-registry.ts'
import { isVisible } from '../definitions/visibility.ts'

export interface CompletionHost {
  readonly prompts: Registry<CompiledPrompt>
  readonly templates: Registry<CompiledTemplate>
  readonly run: RunOptions
}

/** The specification's limit on values in one answer. */
const MAX_VALUES = 100

export async function completeArgument(exchange: Exchange, host: CompletionHost): Promise<Outcome> {
  const { ref, argument, context } = exchange.params
  if (!isJsonObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "argument" needs a name and a value')
  }
  const completer = findCompleter(ref, argument.name, exchange, host)
  if (!completer) return complete({ completion: { values: [], total: 0, hasMore: false } })
  const others = isJsonObject(context) && isJsonObject(context.arguments) ? context.arguments : {}
  const { value } = argument
  const reply = await runHandler(exchange, host.run, (handlerContext) =>
    completer(value, Object.assign(handlerContext, { others: others as Record<string, string> })),
  )
  return complete(toCompletion(reply as Awaited<ReturnType<Completer>>))
}

function findCompleter(
  ref: unknown,
  argument: string,
  exchange: Exchange,
  host: CompletionHost,
): Completer | undefined {
  if (isJsonObject(ref) && ref.type === 'ref/prompt') {
    const found = host.prompts.get(String(ref.name))
    if (!found || !isVisible(found.definition, exchange)) throw new UnknownName('prompt', String(ref.name))
    return found.completers.get(argument)
  }
  if (isJsonObject(ref) && ref.type === 'ref/resource') {
    const found = host.templates.get(String(ref.uri))
    if (!found || !isVisible(found.definition, exchange)) throw new UnknownName('resource', String(ref.uri))
    const { complete: completers } = found.definition
    return completers && Object.hasOwn(completers, argument) ? completers[argument] : undefined
  }
  throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "ref" must be a ref/prompt or a ref/resource')
}

function toCompletion(reply: Awaited<ReturnType<Completer>>): CompleteResult {
  const full: FullReply = Array.isArray(reply) ? { values: reply } : (reply as FullReply)
  const values = full.values.slice(0, MAX_VALUES)
  const total = full.total ?? full.values.length
  return { completion: { values, total, hasMore: full.hasMore ?? total > values.length } }
}

interface FullReply {
  values: readonly string[]
  total?: number
  hasMore?: boolean
}
