import { deriveExchange, type Exchange, type Outcome } from '@gantry/mcp/exchange'
import { declaresTasks, type TaskService, type TaskStatus } from '@gantry/mcp/extensions/tasks'
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
    const isTheirs = outcome === answer
    if (outcome.type === 'task' && !isTheirs) {
      const { taskId } = outcome.task
      exchange.afterTask = (over) => afterTask(String(taskId), { exchange, ownTasks }, over)
    }
    return present(outcome, exchange, isTheirs ? asked : undefined)
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

interface Running {
  readonly exchange: ResolvedExchange
  readonly ownTasks: TaskService
}

/** Calls back when a task of the gateway has ended, in whatever way. */
function afterTask(taskId: string, { exchange, ownTasks }: Running, over: () => void): void {
  const notify: Exchange['notify'] = ({ params }) => {
    if (UNDER_WAY.has(params?.status)) return
    stop()
    over()
  }
  const stop = ownTasks.listen({ taskIds: [taskId] }, deriveExchange(exchange, { notify }))
}

const UNDER_WAY: ReadonlySet<unknown> = new Set<TaskStatus>(['working', 'input_required'])
