import type { Outcome } from '@gantry/mcp/exchange'
import { declaresTasks, type TaskDesk } from '@gantry/mcp/extensions/tasks'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { toFailure } from '../to-failure.ts'
import type { CallerTasks } from './caller-tasks.ts'
import { asOrdinaryCall } from './own-tasks.ts'

type Next = Parameters<Link>[1]

/**
 * Tasks: a call of an older server may become one of the gateway's own, which its desk runs and answers for. Tasks of
 * modern servers stay where they are. Their callers know both by ids that nobody else can use.
 */
export function tasksLink(desk: TaskDesk, tasks: CallerTasks): Link {
  const run = async (exchange: ResolvedExchange, next: Next): Promise<Outcome> => {
    let asked: GatewayExchange = exchange
    let answer: Outcome | undefined
    const outcome = await desk.run(exchange, exchange.resolved.taskSupport, async (origin) => {
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
    if (!given.resolved) return next()
    const exchange = given as ResolvedExchange
    const { task, taskSupport, target } = exchange.resolved
    if (task?.isDesk) return desk.handle(exchange)
    exchange.params = asOrdinaryCall(exchange)
    // Clients that do not know tasks wait for the result instead.
    const waits =
      taskSupport === undefined || (!declaresTasks(exchange.client) && target.model.tasks === 'wait')
    return waits ? next().then((outcome) => present(outcome, exchange, exchange)) : run(exchange, next)
  }
}
