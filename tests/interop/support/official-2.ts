import {
  Client,
  type McpSubscription,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type SubscriptionFilter,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { CAPABILITIES, CLIENT_INFO, type OfficialPeer, ROOTS, SAMPLED, type Target } from './official-peer.ts'

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

function transportTo(target: Target): Transport {
  switch (target.kind) {
    case 'stdio':
      return new StdioClientTransport({ command: target.command, args: target.args })
    case 'http':
      return new StreamableHTTPClientTransport(new URL(target.url))
    case 'sse':
      return new SSEClientTransport(new URL(target.url))
  }
}

export type Mode = 'legacy' | 'auto' | { pin: string }

/** The official client 2.4, in each of its modes. */
export async function openOfficial2(target: Target, mode: Mode): Promise<OfficialPeer> {
  const client = new Client(CLIENT_INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } })
  const subscriptions = new Map<string, McpSubscription>()
  let logLevel: string | undefined
  const isModern = (): boolean => client.getProtocolEra() === 'modern'
  const listen = async (key: string, filter: SubscriptionFilter): Promise<void> => {
    subscriptions.set(key, await client.listen(filter))
  }
  const peer: OfficialPeer = {
    get isModern() {
      return isModern()
    },
    get version() {
      return client.getNegotiatedProtocolVersion()
    },
    get serverInfo() {
      return client.getServerVersion() as OfficialPeer['serverInfo']
    },
    get instructions() {
      return client.getInstructions()
    },
    get capabilities() {
      return client.getServerCapabilities()
    },
    logs: [],
    updated: [],
    changed: [],
    questions: [],
    answer: () => ({ action: 'accept', content: { name: 'Ada' } }),
    request: async (method, params, options) =>
      (await client.request({ method, params } as never, options as never)) as never,
    call: async (name, args = {}, options = {}) => {
      const _meta = logLevel === undefined ? {} : { [LOG_LEVEL]: logLevel }
      return (await client.callTool({ name, arguments: args, _meta }, options)) as never
    },
    setLogLevel: async (level) => {
      if (isModern()) logLevel = level
      else await client.setLoggingLevel(level as 'debug')
    },
    subscribe: async (uri) => {
      if (isModern()) await listen(uri, { resourceSubscriptions: [uri] })
      else await client.subscribeResource({ uri })
    },
    unsubscribe: async (uri) => {
      if (isModern()) await subscriptions.get(uri)?.close()
      else await client.unsubscribeResource({ uri })
    },
    hearChanges: async () => {
      if (!isModern()) return
      await listen('lists', { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true })
    },
    close: async () => {
      for (const subscription of subscriptions.values()) await subscription.close()
      await client.close()
    },
  }
  client.setRequestHandler('elicitation/create', ({ method, params }) => {
    peer.questions.push({ method, params: params as never })
    return peer.answer(params as never)
  })
  client.setRequestHandler('sampling/createMessage', ({ method, params }) => {
    peer.questions.push({ method, params: params as never })
    return SAMPLED
  })
  client.setRequestHandler('roots/list', () => ({ roots: ROOTS }))
  client.setNotificationHandler('notifications/message', ({ params }) => {
    peer.logs.push(params as never)
  })
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    peer.updated.push(params.uri)
  })
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    client.setNotificationHandler(`notifications/${kind}/list_changed`, () => void peer.changed.push(kind))
  }
  await client.connect(transportTo(target))
  return peer
}
