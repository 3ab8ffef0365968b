/** A call that cannot be sent, or failed on the way. Its message is written for the model that made the call. */
export class CallError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CallError'
  }
}
