/** A description that cannot be used at all: it says which, why, and what to do. */
export class OpenApiError extends Error {
  readonly code = 'invalid_config'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OpenApiError'
  }
}
