import {
  complete,
  isJsonObject,
  jsonReader,
  outlineOf,
  writeJson,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import { hidingShapes } from '../../telemetry/redacting.ts'
import type { Link } from '../link.ts'

/**
 * A target's own error, of the protocol or of a tool, is its answer and goes to the caller, but not with the secrets
 * that the target was given.
 */
export function secretsLink(scrub: (text: string) => string): Link {
  return (_exchange, next) => next().then((outcome) => withoutSecrets(outcome, scrub))
}

function withoutSecrets(outcome: Outcome, scrub: (text: string) => string): Outcome {
  if (outcome.type === 'error') {
    const error = scrubbed(outcome.error, scrub)
    return error === outcome.error ? outcome : { ...outcome, error }
  }
  if (outcome.type !== 'complete' || !isFailed(outlineOf(outcome))) return outcome
  const result = scrubbed(outcome.result, scrub)
  return result === outcome.result ? outcome : complete(result)
}

/** A tool that failed, or a task that has. */
function isFailed({ isError, error, result }: JsonObject): boolean {
  return isError === true || isJsonObject(error) || (isJsonObject(result) && result.isError === true)
}

/** The same value where it holds no secret. */
function scrubbed<T>(value: T, scrub: (text: string) => string): T {
  const text = writeJson(value)
  const clean = scrub(writeJson(value, hidingShapes))
  return clean === text ? value : (jsonReader('source')(clean) as T)
}
