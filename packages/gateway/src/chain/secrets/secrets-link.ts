import {
  complete,
  isJsonObject,
  jsonReader,
  outlineOf,
  writeJson,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { Link } from '../link.ts'

/** A value as JSON without secrets. */
type ToJson = (value: unknown) => string

/**
 * A target's own error, of the protocol or of a tool, is its answer and goes to the caller, but not with the secrets
 * that the target was given.
 */
export function secretsLink(toJson: ToJson): Link {
  return (_exchange, next) => next().then((outcome) => withoutSecrets(outcome, toJson))
}

function withoutSecrets(outcome: Outcome, toJson: ToJson): Outcome {
  if (outcome.type === 'error') {
    const error = scrubbed(outcome.error, toJson)
    return error === outcome.error ? outcome : { ...outcome, error }
  }
  if (outcome.type !== 'complete' || !isFailed(outlineOf(outcome))) return outcome
  const result = scrubbed(outcome.result, toJson)
  return result === outcome.result ? outcome : complete(result)
}

/** A tool that failed, or a task that has. */
function isFailed({ isError, error, result }: JsonObject): boolean {
  return isError === true || isJsonObject(error) || (isJsonObject(result) && result.isError === true)
}

/** The same value where it holds no secret. */
function scrubbed<T>(value: T, toJson: ToJson): T {
  const text = writeJson(value)
  const clean = toJson(value)
  return clean === text ? value : (jsonReader('source')(clean) as T)
}
