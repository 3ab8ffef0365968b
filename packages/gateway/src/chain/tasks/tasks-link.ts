import { isJsonObject, META, type Exchange, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import { declaresTasks, type TaskService } from '@gantry/mcp/extensions/tasks'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { toFailure } from '../to-failure.ts'
import type { CallerTasks } from './caller-tasks.ts'

type Next = Parameters<Link>[1]

/**
 * Tasks: a call of an older server may become one of the gateway's own, which it runs and answers for. Tasks of
 * modern servers stay where they are. Their callers know both by ids that nobody else can use.
 */
export function tasksLink(ownTasks: TaskService, tasks: CallerTasks): Link {
  const run = async (exchange: ResolvedExchange, next: Next): Promise<Outcome> => {
    let asked: GatewayExchange = exchange
    let answer: Outcome | undefined
    const outcome = await ownTasks.run(exchange, exchange.resolved.taskSupport, async (origin) => {
      asked = origin === exchange ? exchange : exchange.under(origin)
      answer = await next(asked).catch(toFailure)
      return answer
    })
    return present(outcome, exchange, outcome === answer ? asked : undefined)
  }
  const present = (
    outcome: Outcome,
    exchange: ResolvedExchange,
    asked: GatewayExchange | undefined,
  ): Outcome | Promise<Outcome> =>
    outcome.type === 'task' ? tasks.present(outcome, exchange, asked) : outcome
  return (given, next) => {
    const exchange = given as ResolvedExchange
    const { task, taskSupport, target } = exchange.resolved
    if (task?.isOwn) return ownTasks.handle(exchange)
    exchange.params = asOrdinaryCall(exchange)
    // Clients that do not know tasks wait for the result instead.
    const waits =
      taskSupport === undefined || (!declaresTasks(exchange.client) && target.model.tasks === 'wait')
    return waits ? next().then((outcome) => present(outcome, exchange, exchange)) : run(exchange, next)
  }
}

/** Who does not declare them has to take such a call for an ordinary one (2025-11-25, Tasks). */
export function asOrdinaryCall({ method, params }: Exchange): JsonObject {
  const isTask = method === 'tools/call' && params.task !== undefined
  const { _meta } = params
  if (!isTask && !namesTask(_meta)) return params
  const rest = { ...params }
  if (isTask) delete rest.task
  if (namesTask(_meta)) rest._meta = withoutTask(_meta)
  return rest
}

/** The ids of a target's tasks are the gateway's to use: by naming one, a caller could join the task of another. */
function namesTask(meta: unknown): meta is JsonObject {
  return isJsonObject(meta) && META.relatedTask in meta
}

function withoutTask({ [META.relatedTask]: _task, ...meta }: JsonObject): JsonObject {
  return meta
}
