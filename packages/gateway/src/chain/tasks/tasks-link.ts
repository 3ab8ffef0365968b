import type { Outcome } from '@gantry/mcp/exchange'
import { declaresTasks, type TaskService } from '@gantry/mcp/extensions/tasks'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { toFailure } from '../to-failure.ts'
import type { CallerTasks } from './caller-tasks.ts'

type Next = Parameters<Link>[1]

/**
 * Tasks: a call of an older server may become one of the gateway's own, which it runs and answers for. Tasks of
 * modern servers stay where they are. Their callers know both by ids that other callers cannot use. `results` hides
 * what rules keep from callers.
 */
export function tasksLink(ownTasks: TaskService, tasks: CallerTasks, results?: Link): Link {
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
  return async (given, next) => {
    const exchange = given as ResolvedExchange
    const { task, taskSupport, target } = exchange.resolved
    // The result that a task kept was cleaned by the rules of its time.
    const answer = async (): Promise<Outcome> =>
      (task && (await tasks.askRunner(task, exchange))) ?? ownTasks.handle(exchange)
    if (task?.isOwn) return results ? results(exchange, answer) : answer()
    // Clients that do not know tasks wait for the result instead.
    const waits =
      taskSupport === undefined || (!declaresTasks(exchange.client) && target.model.tasks === 'wait')
    return waits ? present(await next(), exchange, exchange) : run(exchange, next)
  }
}
