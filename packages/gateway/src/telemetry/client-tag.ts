/** Marks exchanges that the gateway's own playground sends: it travels as their server context. */
export class ClientTag {
  readonly id: string

  constructor(id: string) {
    this.id = id
  }

  static of(serverContext: unknown): ClientTag | undefined {
    return serverContext instanceof ClientTag ? serverContext : undefined
  }
}
