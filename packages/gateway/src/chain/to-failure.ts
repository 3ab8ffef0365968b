import { failure, INTERNAL_ERROR, ProtocolError, RefusedForLoad, type Outcome } from '@gantry/mcp/exchange'
import { isStoreAway } from '../store/index.ts'
import { callerText } from '../targets/caller-text.ts'
import { TargetError } from '../targets/target-error.ts'

const STORE_AWAY =
  'The gateway cannot reach its store now, and this request needs it: try again in some seconds'

/** Tells the caller what failed, where, and whether the call may have been made nevertheless. It never tells more. */
export function toFailure(thrown: unknown): Outcome {
  if (thrown instanceof TargetError) {
    const { target, reason, mayHaveHappened, retryAfter } = thrown
    if (reason === 'busy') {
      const refusal = new RefusedForLoad(callerText(thrown), {
        reason,
        data: { target, mayHaveHappened },
        cause: thrown,
      })
      return failure(refusal, refusal)
    }
    const data = { target, reason, mayHaveHappened, ...(retryAfter !== undefined && { retryAfter }) }
    return failure(new ProtocolError(INTERNAL_ERROR, callerText(thrown), data), thrown)
  }
  if (isStoreAway(thrown)) {
    return failure(new ProtocolError(INTERNAL_ERROR, STORE_AWAY, { reason: 'store-away' }), thrown)
  }
  return failure(ProtocolError.from(thrown), thrown)
}
