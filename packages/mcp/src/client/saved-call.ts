import type { InputRequests, InputResponses, Outcome } from '../exchange/index.ts'
import { isJsonObject, type JsonObject, McpError } from '../jsonrpc/index.ts'
import type { ElicitResult } from '../protocol/index.ts'
import { CallResult } from './call-result.ts'
import { completeForm } from './answers.ts'
import { resultOf } from './outcome-result.ts'

/** A call that waits for answers. Plain JSON: it can be stored, and resumed by another process. */
export interface SavedCall {
  type: 'input_required'
  questions: InputRequests
  /** The state that `resume` needs. Do not use it otherwise. */
  state: { params: JsonObject; requestState?: string }
}

/** How far a call got that is not answered live. */
export type StartedCall =
  | { type: 'complete'; result: CallResult }
  | SavedCall
  | { type: 'task'; task: JsonObject }

/** Reads the outcome of a `tools/call` that was made with these params. */
export function toStartedCall(outcome: Outcome, params: JsonObject): StartedCall {
  if (outcome.type === 'task') return { type: 'task', task: outcome.task }
  if (outcome.type !== 'input_required') {
    return { type: 'complete', result: new CallResult(resultOf(outcome, 'tools/call')) }
  }
  const { inputResponses: _, requestState: __, ...original } = params
  const state: SavedCall['state'] = { params: original }
  if (outcome.requestState !== undefined) state.requestState = outcome.requestState
  return { type: 'input_required', questions: outcome.inputRequests ?? {}, state }
}

/** The params that go on with a saved call. Forms are filled with their defaults and checked. */
export async function resumeParams(saved: SavedCall, answers: InputResponses): Promise<JsonObject> {
  if (!isJsonObject(saved?.state) || !isJsonObject(saved.state.params)) {
    throw new McpError('invalid_answer', 'This is not a call that start() or resume() returned')
  }
  const { params, requestState } = saved.state
  const completed = Object.entries(answers).map(async ([key, answer]) => {
    const question = Object.hasOwn(saved.questions, key) ? saved.questions[key] : undefined
    return [key, await completeAnswer(question, answer)] as const
  })
  const inputResponses: InputResponses = Object.fromEntries(await Promise.all(completed))
  return { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }
}

async function completeAnswer(
  question: InputRequests[string] | undefined,
  answer: JsonObject,
): Promise<JsonObject> {
  const { method, params } = question ?? {}
  if (method !== 'elicitation/create' || params?.mode === 'url') return answer
  const schema = isJsonObject(params?.requestedSchema) ? params.requestedSchema : undefined
  return completeForm(schema, answer as ElicitResult)
}
