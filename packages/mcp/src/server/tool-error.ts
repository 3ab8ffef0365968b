/** Thrown by a tool whose message is meant for the model; other exceptions are not shown to it. */
export class ToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolError'
  }
}
