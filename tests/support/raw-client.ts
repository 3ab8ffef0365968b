import { REVISIONS } from '../../packages/mcp/src/protocol/index.ts'
import { OwnMessages } from '../../packages/mcp/src/testing/fixtures/check-message.test.support.ts'
import { parsed } from '../../packages/mcp/src/testing/fixtures/parsed.test.support.ts'

/** What one message over HTTP brought back. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly message: any
  /** The body as it came. */
  readonly text: string
}

interface RawOptions {
  headers?: Record<string, string>
  signal?: AbortSignal
}

async function post(url: string, message: object, options: RawOptions): Promise<RawAnswer> {
  const response = await send(url, message, options)
  const text = await response.text()
  const messages = messagesOf(text)
  check(message, messages, options.headers?.['mcp-protocol-version'])
  // The response is the last message of a stream, or the whole body.
  return { status: response.status, headers: response.headers, message: messages.at(-1), text }
}

function send(url: string, message: object, { headers, signal }: RawOptions): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
    signal: signal ?? null,
  })
}

function messagesOf(text: string): unknown[] {
  if (text.startsWith('{')) return [JSON.parse(text)]
  const data = text.split('\n').filter((line) => line.startsWith('data: {'))
  return data.map((line) => JSON.parse(line.slice('data: '.length)))
}

/** The server may be in another process, where no referee is. */
function check(asked: object, answers: unknown[], version: string | undefined): void {
  const own = new OwnMessages(REVISIONS.find((revision) => revision === version))
  own.heard(parsed(JSON.stringify(asked)))
  // Refusals of OAuth are no messages.
  own.said(answers.filter((answer) => 'jsonrpc' in Object(answer)))
}

let nextId = 1

type ModernOptions = RawOptions & { capabilities?: object; meta?: object }

/** A modern request by hand, with whatever the test wants in it. */
export function modernRequest(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  options: ModernOptions = {},
): Promise<RawAnswer> {
  const { message, headers } = toModern(method, params, options)
  return post(url, message, { ...options, headers })
}

function toModern(method: string, params: Record<string, unknown>, options: ModernOptions) {
  const name = params.name ?? params.uri ?? params.taskId
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw-client', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': options.capabilities ?? { elicitation: { form: {} } },
    ...options.meta,
  }
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
    ...options.headers,
  }
  return { message: { jsonrpc: '2.0', id: nextId++, method, params: { ...params, _meta } }, headers }
}

/** A legacy request by hand. */
export function legacyRequest(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  options: RawOptions & { session?: string } = {},
): Promise<RawAnswer> {
  const headers = {
    ...(options.session !== undefined && {
      'mcp-session-id': options.session,
      'mcp-protocol-version': '2025-11-25',
    }),
    ...options.headers,
  }
  return post(url, { jsonrpc: '2.0', id: nextId++, method, params }, { ...options, headers })
}

/** Opens a legacy session and returns its id. */
export async function openSession(
  url: string,
  capabilities: object = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'raw-client', version: '1' },
  }
  const answer = await legacyRequest(url, 'initialize', params, { headers })
  const session = answer.headers.get('mcp-session-id')!
  await post(
    url,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { headers: { ...headers, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' } },
  )
  return session
}

/** Listens by hand, with every message as it comes. Ends with the signal. */
export async function listenRaw(
  url: string,
  params: Record<string, unknown>,
  capabilities: object,
  signal: AbortSignal,
  onMessage: (message: unknown) => void,
  options: RawOptions = {},
): Promise<void> {
  const { message, headers } = toModern('subscriptions/listen', params, { ...options, capabilities })
  try {
    const response = await send(url, message, { headers, signal })
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (text + chunk).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data: {')) onMessage(JSON.parse(line.slice(6)))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
