import {
  complete,
  deriveExchange,
  INVALID_PARAMS,
  isJsonObject,
  outlineOf,
  ProtocolError,
  type Exchange,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'

const MARK = /^@((?:legacy\|)?call:[0-9a-f-]{36})\.(.*)$/s

/** Which connection a request belongs to, by which of its params, and what the target is to see of it. */
export interface Affinity {
  readonly key: string
  readonly member: 'requestState' | 'taskId'
  readonly exchange: Exchange
}

/** With `isolation: call` later rounds and tasks return to their process: its key precedes the state. */
export function readAffinity(exchange: Exchange): Affinity | undefined {
  for (const member of ['requestState', 'taskId'] as const) {
    const value = exchange.params[member]
    const found = typeof value === 'string' ? MARK.exec(value) : null
    if (!found) continue
    const { [member]: _marked, ...params } = exchange.params
    if (found[2] !== '') params[member] = found[2]
    return { key: found[1]!, member, exchange: deriveExchange(exchange, { params }) }
  }
  return undefined
}

/** The outcome of an exchange with the connection's key in it; undefined when nothing comes after it. */
export function markAffinity(outcome: Outcome, exchange: Exchange, key: string): Outcome | undefined {
  if (outcome.type === 'input_required') {
    return { ...outcome, requestState: `@${key}.${outcome.requestState ?? ''}` }
  }
  const marked = (task: JsonObject): JsonObject => ({ ...task, taskId: `@${key}.${String(task.taskId)}` })
  if (outcome.type === 'task') return { ...outcome, task: marked(outcome.task) }
  // A call that asked for a task of 2025-11-25, and got one.
  const task = exchange.params.task && outcome.type === 'complete' ? outlineOf(outcome).task : undefined
  return isJsonObject(task) ? complete({ task: marked(task) }) : undefined
}

export function affinityLost(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, 'The call that this belongs to has ended or expired')
}
