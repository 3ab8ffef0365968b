import {
  complete,
  failure,
  INTERNAL_ERROR,
  jsonReader,
  outlineOf,
  ProtocolError,
  RefusedForLoad,
  writeJson,
  type Outcome,
} from '@gantry/mcp/exchange'
import { hidingShapes } from '../telemetry/redacting.ts'
import { callerText } from '../targets/caller-text.ts'
import { TargetError } from '../targets/target-error.ts'

/** What failed, where, and whether it may have happened all the same; never more than that. */
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
  return failure(ProtocolError.from(thrown), thrown)
}

/** A target's own error, of the protocol or of a tool, is its answer and goes to the caller, but not with the secrets that the target was given. */
export function withoutSecrets(outcome: Outcome, scrub: (text: string) => string): Outcome {
  if (outcome.type === 'error') {
    const error = scrubbed(outcome.error, scrub)
    return error === outcome.error ? outcome : { ...outcome, error }
  }
  if (outcome.type !== 'complete' || outlineOf(outcome).isError !== true) return outcome
  const result = scrubbed(outcome.result, scrub)
  return result === outcome.result ? outcome : complete(result)
}

/** The same value where it holds no secret. */
function scrubbed<T>(value: T, scrub: (text: string) => string): T {
  const text = writeJson(value)
  const clean = scrub(writeJson(value, hidingShapes))
  return clean === text ? value : (jsonReader('source')(clean) as T)
}
