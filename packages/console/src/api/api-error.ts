import type { ApiErrorCode, ApiProblem, JsonObject } from './contract.ts'

/** An answer that says no, or no answer at all (`unreachable`). */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode | 'unreachable'
  readonly status: number
  readonly fix: string | undefined
  readonly details: JsonObject | undefined

  constructor(problem: Omit<ApiProblem, 'code'> & { code: ApiErrorCode | 'unreachable' }, status: number) {
    super(problem.message)
    this.code = problem.code
    this.status = status
    this.fix = problem.fix
    this.details = problem.details
  }

  static unreachable(cause: unknown): ApiError {
    const error = new ApiError(
      {
        code: 'unreachable',
        message: 'The gateway does not answer.',
        fix: 'Check that `gantry serve` is still running; this page reconnects by itself.',
      },
      0,
    )
    error.cause = cause
    return error
  }

  static async from(response: Response): Promise<ApiError> {
    const text = await response.text()
    try {
      const { error } = JSON.parse(text) as { error: ApiProblem }
      if (typeof error.message === 'string') return new ApiError(error, response.status)
    } catch {
      // Not ours: a proxy's page, say.
    }
    const message = `The gateway answered ${response.status} ${response.statusText}.`
    return new ApiError({ code: 'internal', message }, response.status)
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
