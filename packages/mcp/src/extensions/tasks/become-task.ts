import type { Exchange } from '../../exchange/index.ts'
import { eraOf } from '../../protocol/index.ts'
import type { Context } from '../../server/index.ts'
import { missingTasks } from './task.ts'

/** What turns a call under way into a task, by the exchange that its handler sees. */
export const promotions: WeakMap<Exchange, () => void> = new WeakMap<Exchange, () => void>()

/**
 * Turns the call into a task, if it is none yet: the client gets its handle now, and questions that follow
 * are asked through the task. For tools with `task: 'manual'`, whose first questions come before the task.
 *
 * Returns whether the call is a task. If it is not, the client cannot follow one and waits for the result;
 * with `required` it is refused instead.
 *
 * @example
 * ```ts
 * run: async ({ id }, ctx) => {
 *   const { format } = await ctx.elicit('Which format?', FORMAT)
 *   becomeTask(ctx)
 *   return await render(id, format)
 * }
 * ```
 */
export function becomeTask(context: Context, options: { required?: boolean } = {}): boolean {
  const promote = promotions.get(context.exchange)
  promote?.()
  if (!promote && options.required && eraOf(context.protocolVersion) === 'modern') throw missingTasks()
  return promote !== undefined
}
