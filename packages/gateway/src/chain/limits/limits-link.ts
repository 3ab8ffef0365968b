import type { Link } from '../link.ts'
import type { Admission } from './admission.ts'

/** Bounds the requests under way on all endpoints together. */
export function limitsLink(admission: Admission): Link {
  return async (exchange, next) => {
    // What lasts as long as its client wants is no work under way.
    if (exchange.method === 'subscriptions/listen') return next()
    const entered = admission.enter(exchange)
    const caller = entered instanceof Promise ? await entered : entered
    const { cancellation } = exchange
    let isIn = true
    const leave = (): void => {
      if (isIn) admission.leave(caller)
      isIn = false
    }
    // A caller that is gone waits for nothing. A target that works on all the same keeps its own slot taken.
    cancellation.onAbort(leave)
    try {
      return await next()
    } finally {
      cancellation.offAbort(leave)
      leave()
    }
  }
}
