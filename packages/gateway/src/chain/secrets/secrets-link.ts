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

export interface Scrubbing {
  /** A value as JSON without configured secrets, and without what looks like a credential. */
  toJson(this: void, value: unknown): string
  readonly secrets: {
    /** Takes configured secrets out of JSON; undefined when there are none. */
    readonly hideKnown: ((text: string) => string) | undefined
  }
}

/**
 * What a target says besides its results goes to the caller, but not with the secrets that the target was given: its
 * errors, of the protocol or of a tool, its notifications, its questions, and what its tasks say of themselves.
 */
export function secretsLink({ toJson, secrets }: Scrubbing): Link {
  const toError = <T>(value: T): T => scrubbed(value, toJson(value))
  const toText = <T>(value: T): T => {
    const { hideKnown } = secrets
    return hideKnown ? scrubbed(value, hideKnown(writeJson(value))) : value
  }
  return async (exchange, next) => {
    exchange.hear(toText)
    exchange.askThrough((ask) => (questions, signal) => ask(toText(questions), signal))
    return withoutSecrets(await next(), exchange.method, toError, toText)
  }
}

type Clean = <T>(value: T) => T

function withoutSecrets(outcome: Outcome, method: string, toError: Clean, toText: Clean): Outcome {
  switch (outcome.type) {
    case 'error': {
      const error = toError(outcome.error)
      return error === outcome.error ? outcome : { ...outcome, error }
    }
    case 'complete': {
      const clean = isFailed(outlineOf(outcome)) ? toError : method.startsWith('tasks/') ? toText : undefined
      if (!clean) return outcome
      // Not the text it came in: that may have a member twice.
      return complete(clean(outcome.result))
    }
    case 'input_required': {
      const { requestState, ...asked } = outcome
      return { ...toText(asked), ...(requestState !== undefined && { requestState }) }
    }
    case 'task': {
      const { taskId, ...task } = outcome.task
      return { ...outcome, task: { ...toText(task), taskId } }
    }
  }
}

/** A tool that failed, or a task that has. */
function isFailed({ isError, error, result }: JsonObject): boolean {
  return isError === true || isJsonObject(error) || (isJsonObject(result) && result.isError === true)
}

/** The same value where it holds no secret. */
function scrubbed<T>(value: T, clean: string): T {
  return clean === writeJson(value) ? value : (jsonReader('source')(clean) as T)
}
