import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { CAPABILITIES, CLIENT_INFO, type OfficialPeer, ROOTS, SAMPLED, type Target } from './official-peer.ts'

function transportTo(target: Target): Transport {
  switch (target.kind) {
    case 'stdio':
      return new StdioClientTransport({ command: target.command, args: target.args }) as Transport
    case 'http':
      return new StreamableHTTPClientTransport(new URL(target.url)) as Transport
    case 'sse':
      return new SSEClientTransport(new URL(target.url)) as Transport
  }
}

/** The official client 1.32: legacy only. */
export async function openOfficial1(target: Target): Promise<OfficialPeer> {
  const client = new Client(CLIENT_INFO, { capabilities: CAPABILITIES })
  const request: OfficialPeer['request'] = async (method, params, options) =>
    client.request({ method, params }, ResultSchema, { ...options })
  const peer: OfficialPeer = {
    isModern: false,
    get version() {
      return (client.transport as { protocolVersion?: string } | undefined)?.protocolVersion
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
    request,
    call: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, options)) as never,
    setLogLevel: async (level) => void (await client.setLoggingLevel(level as 'debug')),
    subscribe: async (uri) => void (await client.subscribeResource({ uri })),
    unsubscribe: async (uri) => void (await client.unsubscribeResource({ uri })),
    hearChanges: async () => {},
    close: () => client.close(),
  }
  client.setRequestHandler(ElicitRequestSchema, ({ method, params }) => {
    peer.questions.push({ method, params })
    return peer.answer(params)
  })
  client.setRequestHandler(CreateMessageRequestSchema, ({ method, params }) => {
    peer.questions.push({ method, params: params as never })
    return SAMPLED
  })
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: ROOTS }))
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    peer.logs.push(params as never)
  })
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    peer.updated.push(params.uri)
  })
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void peer.changed.push('tools'))
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => void peer.changed.push('prompts'))
  client.setNotificationHandler(
    ResourceListChangedNotificationSchema,
    () => void peer.changed.push('resources'),
  )
  await client.connect(transportTo(target))
  return peer
}
