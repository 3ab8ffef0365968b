export interface RedisHost {
  readonly host: string
  readonly port: number
}

/** What is used of a client. */
export interface RedisClient {
  connect(): Promise<unknown>
  destroy(): unknown
  evalSha(sha: string, call: ScriptCall): Promise<unknown>
  eval(script: string, call: ScriptCall): Promise<unknown>
  info(section: string): Promise<unknown>
  subscribe(channel: string, listener: () => void): Promise<unknown>
  on(event: 'error' | 'end' | 'terminated', listener: (error?: Error) => void): unknown
}

export interface ScriptCall {
  readonly keys: string[]
  readonly arguments: (string | Buffer)[]
}

/** A client of one server, which may be a Sentinel. */
export interface NodeClient extends RedisClient {
  sendCommand(words: string[]): Promise<unknown>
}
