import type { ApiErrorCode, ApiProblem, JsonObject } from './contract.ts'

const STATUS: Readonly<Record<ApiErrorCode, number>> = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  bad_request: 400,
  invalid: 422,
  conflict: 409,
  too_large: 413,
  too_many: 429,
  read_only: 409,
  gone: 410,
  unavailable: 503,
  internal: 500,
}

export class ApiError extends Error {
  readonly problem: ApiProblem

  constructor(
    code: ApiErrorCode,
    message: string,
    options: { fix?: string | undefined; details?: object; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ApiError'
    this.problem = {
      code,
      message,
      ...(options.fix !== undefined && { fix: options.fix }),
      ...(options.details && { details: options.details as JsonObject }),
    }
  }

  get status(): number {
    return STATUS[this.problem.code]
  }
}
