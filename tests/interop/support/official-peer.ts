/** What the tests do with an official client, whichever version it is. */
export interface OfficialPeer {
  readonly isModern: boolean
  readonly version: string | undefined
  readonly serverInfo: { name: string; version: string; title?: string } | undefined
  readonly instructions: string | undefined
  readonly capabilities: object | undefined
  readonly logs: LogMessage[]
  readonly updated: string[]
  readonly changed: string[]
  readonly questions: { method: string; params: Record<string, unknown> }[]
  /** How the next elicitations are answered. */
  answer: (params: Record<string, unknown>) => Answer
  /** Sends a request by its method, with its result as it came. */
  request(
    method: string,
    params?: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<Record<string, unknown>>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallResult>
  /** Asks for log messages from this level up, for all calls from now on. */
  setLogLevel(level: string): Promise<void>
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
  /** Opens whatever the era needs to hear of list changes. */
  hearChanges(): Promise<void>
  close(): Promise<void>
}

export type Answer = {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean | string[]>
}

export interface LogMessage {
  level: string
  data: unknown
  logger?: string
}

export interface CallOptions {
  onprogress?: (progress: {
    progress: number
    total?: number | undefined
    message?: string | undefined
  }) => void
  signal?: AbortSignal
}

export interface CallResult {
  content: { type: string; text?: string; data?: string; mimeType?: string }[]
  structuredContent?: unknown
  isError?: boolean
}

/** Where a server is. */
export type Target =
  | { kind: 'stdio'; command: string; args: string[] }
  | { kind: 'http' | 'sse'; url: string }

export const CLIENT_INFO = { name: 'official', version: '1.0.0' }
export const CAPABILITIES = {
  elicitation: { form: { applyDefaults: true }, url: {} },
  sampling: {},
  roots: { listChanged: true },
}
export const SAMPLED = {
  role: 'assistant' as const,
  model: 'test-model',
  content: { type: 'text' as const, text: 'Paris' },
}
export const ROOTS = [{ uri: 'file:///home/ann' }, { uri: 'file:///tmp' }]
