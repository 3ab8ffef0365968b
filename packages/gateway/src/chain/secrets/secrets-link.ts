import {
  complete,
  isJsonObject,
  jsonReader,
  outlineOf,
  writeJson,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import { hideShapes } from '../../model/index.ts'
import type { SecretOwner } from '../../telemetry/secret-scrubber.ts'
import type { ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'

export interface Scrubbing {
  readonly secrets: {
    /** Whether there are no secrets. */
    readonly isEmpty: boolean
    /** Takes secrets out of JSON for a caller. */
    hideFor(owner: SecretOwner | undefined, json: string): string
    /** A value as JSON without secrets, and without what `hide` takes out of its texts. */
    toJson(value: unknown, hide: (text: string) => string, owner: SecretOwner | 'nobody'): string
  }
}

/**
 * Removes the target's configured secrets from everything that it says besides results: errors of the protocol or of a
 * tool, notifications, questions, and the status of its tasks.
 */
export function secretsLink({ secrets }: Scrubbing): Link {
  return async (exchange, next) => {
    const owner = ownerOf(exchange as ResolvedExchange)
    const toError = <T>(value: T): T => scrubbed(value, secrets.toJson(value, hideShapes, owner ?? 'nobody'))
    const toText = <T>(value: T): T =>
      secrets.isEmpty ? value : scrubbed(value, secrets.hideFor(owner, writeJson(value)))
    exchange.hear(toText)
    exchange.askThrough((ask) => (questions, signal) => ask(toText(questions), signal))
    return withoutSecrets(await next(), exchange.method, toError, toText)
  }
}

/** A secret that a person typed in is looked for in messages of that person's target to that person only. */
function ownerOf({ auth, resolved }: ResolvedExchange): SecretOwner | undefined {
  return auth && resolved ? { principal: auth.principal, target: resolved.target.name } : undefined
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
      // Not the text that it came in, which may have a member twice.
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

/** Whether a tool or a task has failed. */
function isFailed({ isError, error, result }: JsonObject): boolean {
  return isError === true || isJsonObject(error) || (isJsonObject(result) && result.isError === true)
}

/** The same value where it holds no secret. */
function scrubbed<T>(value: T, clean: string): T {
  return clean === writeJson(value) ? value : (jsonReader('source')(clean) as T)
}
