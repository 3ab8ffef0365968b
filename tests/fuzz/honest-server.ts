export type Message = Record<string, unknown>

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion'
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
}
const serverInfo = { name: 'honest', version: '1' }
const QUESTION = {
  mode: 'form',
  message: 'Sure?',
  requestedSchema: { type: 'object', properties: { sure: { type: 'boolean', default: true } } },
}

/**
 * What a good server of either era says to a client, message by message and without a transport: what becomes
 * of it on the way is the business of the fuzzing servers.
 */
export class HonestServer {
  readonly #era: 'legacy' | 'modern'
  readonly #asked = new Map<unknown, Message>()
  #lastId = 0

  constructor(era: 'legacy' | 'modern') {
    this.#era = era
  }

  /** Everything there is to say to a message, in order. */
  hear(message: Message): Message[] {
    if (typeof message.method === 'string') {
      return 'id' in message ? this.#answer(message) : []
    }
    const call = this.#asked.get(message.id)
    this.#asked.delete(message.id)
    return call ? [complete(call, { content: [text('answered')] })] : []
  }

  #answer(request: Message): Message[] {
    const params = (request.params ?? {}) as Message
    switch (request.method) {
      case 'server/discover':
        if (this.#era === 'legacy') return [unknownMethod(request)]
        return [complete(request, { supportedVersions: ['2026-07-28'], capabilities, ...cacheable })]
      case 'initialize':
        return [complete(request, { protocolVersion: params.protocolVersion, capabilities, serverInfo })]
      case 'tools/list':
        return [complete(request, page(params.cursor))]
      case 'resources/read':
        return [
          complete(request, { contents: [{ uri: params.uri, text: String(params.uri) }], ...cacheable }),
        ]
      case 'subscriptions/listen':
        return this.#listen(request)
      case 'tools/call':
        return this.#call(request, params)
      default:
        return [complete(request, {})]
    }
  }

  #call(request: Message, params: Message): Message[] {
    const { text: said = '' } = (params.arguments ?? {}) as { text?: string }
    const token = (params._meta as Message | undefined)?.progressToken
    if (params.name === 'ask') return this.#ask(request, params)
    const steps = token === undefined ? [] : [1, 2, 3]
    return [
      ...steps.map((progress) =>
        notification('notifications/progress', { progressToken: token, progress, total: 3 }),
      ),
      notification('notifications/message', { level: 'error', data: said }),
      complete(request, { content: [text(said)] }),
    ]
  }

  #ask(request: Message, params: Message): Message[] {
    if (params.inputResponses) return [complete(request, { content: [text('answered')] })]
    if (isModern(request)) {
      const inputRequests = { q: { method: 'elicitation/create', params: QUESTION } }
      return [respond(request, { resultType: 'input_required', inputRequests, requestState: 'state' })]
    }
    const id = ++this.#lastId
    this.#asked.set(id, request)
    return [{ jsonrpc: '2.0', id, method: 'elicitation/create', params: QUESTION }]
  }

  #listen(request: Message): Message[] {
    const _meta = { [SUBSCRIPTION_ID]: request.id }
    const { notifications } = request.params as Message
    return [
      notification('notifications/subscriptions/acknowledged', { notifications, _meta }),
      notification('notifications/tools/list_changed', { _meta }),
      notification('notifications/resources/updated', { uri: 'file:///a', _meta }),
    ]
  }
}

const cacheable = { ttlMs: 0, cacheScope: 'private' }

function page(cursor: unknown): Message {
  const tools = [{ name: `tool-${String(cursor ?? 0)}`, inputSchema: { type: 'object' } }]
  return cursor === undefined ? { tools, nextCursor: '1', ...cacheable } : { tools, ...cacheable }
}

function isModern(request: Message): boolean {
  const meta = (request.params as Message | undefined)?._meta as Message | undefined
  return meta?.[PROTOCOL_VERSION] !== undefined
}

function text(value: string): Message {
  return { type: 'text', text: value }
}

function complete(request: Message, result: Message): Message {
  return respond(request, isModern(request) ? { resultType: 'complete', ...result } : result)
}

function respond({ id }: Message, result: Message): Message {
  return { jsonrpc: '2.0', id, result }
}

function unknownMethod({ id }: Message): Message {
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
}

function notification(method: string, params: Message): Message {
  return { jsonrpc: '2.0', method, params }
}
