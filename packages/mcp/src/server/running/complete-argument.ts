import type { Exchange, Outcome } from '../../exchange/index.ts'
import {
  INVALID_PARAMS,
  isJsonObject,
  McpError,
  ProtocolError,
  type JsonObject,
} from '../../jsonrpc/index.ts'
import type { CompleteResult } from '../../protocol/index.ts'
import type { Completer } from '../definitions/definitions.ts'
import type { isVisible } from '../definitions/visibility.ts'
import type { Context } from '../questions/context.ts'
import type { Questions } from '../questions/questions.ts'
import type { CompiledPrompt } from '../registry/prompt-registry.ts'
import type { Registry } from '../registry/registry.ts'
import type { CompiledTemplate } from '../registry/resource-registry.ts'

export interface CompletionHost {
  readonly prompts: Registry<CompiledPrompt>
  readonly templates: Registry<CompiledTemplate>
  readonly isVisible: typeof isVisible
  unknown(kind: 'prompt' | 'resource', name: string): ProtocolError
  context(questions: Questions): Context
}

/** The specification's limit on values in one answer. */
const MAX_VALUES = 100

/** Asks the author's completer. Loaded when a client completes something, so it imports little of what all servers load. */
export async function completeArgument(exchange: Exchange, host: CompletionHost): Promise<Outcome> {
  const { ref, argument, context } = exchange.params
  if (!isJsonObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "argument" needs a name and a value')
  }
  const completer = findCompleter(ref, argument.name, exchange, host)
  if (!completer) return toOutcome({ values: [], total: 0, hasMore: false })
  const others = isJsonObject(context) && isJsonObject(context.arguments) ? context.arguments : {}
  const handlerContext = Object.assign(host.context(NO_QUESTIONS), {
    others: others as Record<string, string>,
  })
  const reply: unknown = await completer(argument.value, handlerContext)
  return toOutcome(toCompletion(reply, argument.name, exchange))
}

/** `completion/complete` has no answer that asks (2026-07-28, MRTR), so it asks in no era. */
const NO_QUESTIONS: Questions = {
  ask: () => Promise.reject(new McpError('unsupported', 'A completion cannot ask its caller anything')),
  step: async (_name, run) => run(),
}

function findCompleter(
  ref: unknown,
  argument: string,
  exchange: Exchange,
  host: CompletionHost,
): Completer | undefined {
  if (isJsonObject(ref) && ref.type === 'ref/prompt') {
    const found = host.prompts.get(String(ref.name))
    if (!found || !host.isVisible(found.definition, exchange)) throw host.unknown('prompt', String(ref.name))
    return found.completers.get(argument)
  }
  if (isJsonObject(ref) && ref.type === 'ref/resource') {
    const found = host.templates.get(String(ref.uri))
    if (!found || !host.isVisible(found.definition, exchange)) throw host.unknown('resource', String(ref.uri))
    const { complete: completers } = found.definition
    return completers && Object.hasOwn(completers, argument) ? completers[argument] : undefined
  }
  throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "ref" must be a ref/prompt or a ref/resource')
}

interface FullReply {
  values: readonly string[]
  total?: number
  hasMore?: boolean
}

function toCompletion(reply: unknown, argument: string, { params }: Exchange): FullReply {
  const full = (Array.isArray(reply) ? { values: reply } : (reply ?? {})) as FullReply
  if (!Array.isArray(full.values) || full.values.some((value) => typeof value !== 'string')) {
    const { name, uri } = params.ref as JsonObject
    const what = `The completion of "${argument}" for "${name ?? uri}" returned neither texts nor { values }`
    throw new McpError('invalid_output', what)
  }
  const values = full.values.slice(0, MAX_VALUES)
  const total = full.total ?? full.values.length
  return { values, total, hasMore: full.hasMore ?? total > values.length }
}

function toOutcome(completion: FullReply): Outcome {
  return { type: 'complete', result: { completion: completion as CompleteResult['completion'] } }
}
