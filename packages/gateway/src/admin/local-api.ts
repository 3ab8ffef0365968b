import { jsonReader, withPlainNumbers } from '@gantry/mcp/exchange'
import { isStoreAway } from '../store/index.ts'
import { ApiError } from './api-error.ts'
import { checkPart, schemaOf } from './check-request.ts'
import type { AdminApi, RouteName } from './contract.ts'
import type { Caller, Handlers } from './handlers.ts'

export interface AnyRequest {
  readonly params?: object
  readonly query?: object
  readonly body?: unknown
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly lastEventId?: string | undefined
}

type AnyHandler = (request: AnyRequest) => unknown

/** Checks a request against the contract and passes it to its handler. */
export function dispatch(handlers: Handlers, name: RouteName, request: AnyRequest): unknown {
  const { params = {}, query = {} } = request
  const body = request.body ?? (schemaOf(name, 'body') && {})
  checkPart(name, 'params', params)
  checkPart(name, 'query', query)
  checkPart(name, 'body', withPlainNumbers(body))
  return (handlers[name] as AnyHandler)({ ...request, params, query, body })
}

/** Numbers stay as they were written. */
const readJson = jsonReader('source')

const COMMAND_LINE: Caller = { principal: 'command line', auth: undefined, role: 'admin' }

/**
 * The API without HTTP: for commands that work without a running gateway.
 * `toJson` writes a value without secrets, as the API over HTTP does.
 */
export function localApi(handlers: Handlers, toJson: (value: unknown) => string): AdminApi {
  const scrubbed = <T>(value: T): T => {
    return value === undefined ? value : (readJson(toJson(value)) as T)
  }
  const requestOf = (input: object, options: { signal?: AbortSignal | undefined }): AnyRequest => ({
    ...input,
    caller: COMMAND_LINE,
    signal: options.signal ?? new AbortController().signal,
  })
  return {
    async call(name, input, options = {}) {
      return scrubbed(await dispatch(handlers, name, requestOf(input as object, options))) as never
    },
    stream(name, input, options = {}) {
      const request = { ...requestOf(input as object, options), lastEventId: options.lastEventId }
      return mapped(dispatch(handlers, name, request) as AsyncIterable<unknown>, scrubbed) as never
    },
  }
}

async function* mapped<T>(items: AsyncIterable<T>, change: (item: T) => T): AsyncGenerator<T> {
  for await (const item of items) yield change(item)
}

/** Turns an error into one of the contract. The text of an unexpected error is not shown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (isStoreAway(thrown)) {
    return new ApiError('unavailable', 'The store cannot be reached, and this is in it', {
      fix: 'Look at Redis and the network. The gateway tries again by itself.',
      cause: thrown,
    })
  }
  return new ApiError('internal', 'The gateway failed to answer this', {
    fix: 'Its log says why. Please report it.',
    cause: thrown,
  })
}
