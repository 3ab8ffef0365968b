import type { Exchange, Outcome } from '../../exchange/index.ts'
import { complete } from '../../exchange/exchange.ts'
import { INVALID_PARAMS, isJsonObject, ProtocolError } from '../../jsonrpc/index.ts'
import type { ContentBlock, GetPromptResult, PromptMessage } from '../../protocol/index.ts'
import { describeIssues } from '../../schema/index.ts'
import type { CompiledPrompt } from '../registry/prompt-registry.ts'
import type { Registry } from '../registry/registry.ts'
import { Suspended } from '../questions/input-required.ts'
import { requireMessages } from './require-content.ts'
import { requireJson } from './require-json.ts'
import { runHandler, type RunOptions } from './run-handler.ts'
import { UnknownName } from '../registry/tool-registry.ts'
import { isVisible, scopesToSee } from '../definitions/visibility.ts'

export function findPrompt(prompts: Registry<CompiledPrompt>, exchange: Exchange): CompiledPrompt {
  const { name } = exchange.params
  if (typeof name !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "name" must be a string')
  }
  const found = prompts.get(name)
  if (!found || !isVisible(found.definition, exchange)) {
    throw new UnknownName('prompt', name, { requiredScopes: scopesToSee(found?.definition, exchange) })
  }
  return found
}

export async function getPrompt(
  prompt: CompiledPrompt,
  exchange: Exchange,
  run: RunOptions,
): Promise<Outcome> {
  const args = await checkedArguments(prompt, exchange)
  const reply = await runHandler<unknown>(exchange, run, (context) => prompt.definition.run(args, context))
  if (reply instanceof Suspended) return reply
  const result = toPromptResult(reply, prompt)
  requireJson(result, run.exact)
  requireMessages(result.messages)
  return complete(result)
}

async function checkedArguments(prompt: CompiledPrompt, exchange: Exchange): Promise<unknown> {
  const args = exchange.params.arguments ?? {}
  if (!isJsonObject(args))
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "arguments" must be an object')
  for (const argument of prompt.arguments) {
    if (argument.required && !Object.hasOwn(args, argument.name)) {
      throw new ProtocolError(INVALID_PARAMS, `Missing required argument: ${argument.name}`)
    }
  }
  for (const [name, value] of Object.entries(args)) {
    if (typeof value !== 'string') {
      throw new ProtocolError(INVALID_PARAMS, `Invalid argument: "${name}" must be a string`)
    }
  }
  if (!prompt.input) return args
  const checked = await prompt.input.validate(args)
  if (checked.ok) return checked.value
  throw new ProtocolError(INVALID_PARAMS, describeIssues(checked.issues))
}

function toPromptResult(reply: unknown, prompt: CompiledPrompt): GetPromptResult {
  const described = prompt.info.description === undefined ? {} : { description: prompt.info.description }
  if (typeof reply === 'string') return { ...described, messages: [userText(reply)] }
  if (Array.isArray(reply)) return { ...described, messages: reply as PromptMessage[] }
  if (isJsonObject(reply) && Array.isArray(reply.messages)) {
    return { ...described, ...(reply as unknown as GetPromptResult) }
  }
  if (isJsonObject(reply) && 'role' in reply) {
    return { ...described, messages: [reply as unknown as PromptMessage] }
  }
  throw new TypeError(`The prompt "${prompt.name}" returned neither text nor messages`)
}

function userText(value: string): PromptMessage {
  const content: ContentBlock = { type: 'text', text: value }
  return { role: 'user', content }
}
