import {
  Client as Client2,
  type OAuthClientProvider as Provider2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import type { OAuthClientProvider as Provider1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterEach, describe, expect, it } from 'vitest'
import { Server, text, tool } from '@gantry/mcp/server'
import { Browser, companyGateway, type CompanyGateway } from '../support/company.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const REDIRECT = 'http://127.0.0.1:33418/callback'
const NOTES = new Server({
  name: 'notes',
  version: '1',
  tools: { ping: tool({ description: 'Answers', run: () => text('pong') }) },
})

async function start(): Promise<CompanyGateway> {
  const gateway = await companyGateway({ mcpServers: { notes: { module: 'notes' } } }, {}, undefined, {
    embedded: new Map([['notes', NOTES]]),
  })
  closing.push(() => gateway.close())
  return gateway
}

/** What an official client keeps: everything in memory, and a person at a browser. */
class Keeper {
  readonly saved = new Map<string, unknown>()
  answer = new URLSearchParams()
  refreshes = 0

  get provider(): Provider1 & Provider2 {
    const { saved } = this
    const keep = (key: string) => (value: unknown) => void saved.set(key, value)
    return {
      redirectUrl: REDIRECT,
      clientMetadata: {
        client_name: 'Official',
        redirect_uris: [REDIRECT],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      state: () => {
        saved.set('state', crypto.randomUUID())
        return saved.get('state') as string
      },
      clientInformation: () => saved.get('client'),
      saveClientInformation: keep('client'),
      tokens: () => saved.get('tokens'),
      saveTokens: (tokens: unknown) => {
        this.refreshes++
        saved.set('tokens', tokens)
      },
      saveDiscoveryState: keep('discovery'),
      discoveryState: () => saved.get('discovery'),
      saveCodeVerifier: keep('verifier'),
      codeVerifier: () => saved.get('verifier'),
      redirectToAuthorization: async (url: URL) => {
        const end = await new Browser().browse(url.href, (at) => at.startsWith(REDIRECT))
        this.answer = new URL(end).searchParams
      },
    } as unknown as Provider1 & Provider2
  }
}

interface Peer {
  connect(): Promise<void>
  call(): Promise<string>
  finish(answer: URLSearchParams): Promise<void>
  close(): Promise<void>
}

const info = { name: 'official', version: '1' }
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]!.text

function official1(endpoint: string, { provider }: Keeper): Peer {
  const client = new Client1(info)
  let transport = new Http1(new URL(endpoint), { authProvider: provider })
  return {
    connect: () => client.connect(transport as Transport),
    call: async () => textOf(await client.callTool({ name: 'notes_ping' })),
    finish: async (answer) => {
      await transport.finishAuth(answer.get('code')!)
      transport = new Http1(new URL(endpoint), { authProvider: provider })
    },
    close: () => client.close(),
  }
}

function official2(endpoint: string, { provider }: Keeper, mode: 'legacy' | { pin: string }): Peer {
  const client = new Client2(info, { versionNegotiation: { mode } })
  let transport = new Http2(new URL(endpoint), { authProvider: provider })
  return {
    connect: () => client.connect(transport),
    call: async () => textOf(await client.callTool({ name: 'notes_ping' })),
    finish: async (answer) => {
      await transport.finishAuth(answer)
      transport = new Http2(new URL(endpoint), { authProvider: provider })
    },
    close: () => client.close(),
  }
}

describe.each<[string, (endpoint: string, keeper: Keeper) => Peer]>([
  ['1.32', official1],
  ['2.4 legacy', (endpoint, keeper) => official2(endpoint, keeper, 'legacy')],
  ['2.4 modern', (endpoint, keeper) => official2(endpoint, keeper, { pin: '2026-07-28' })],
])('the official client %s', (_, open) => {
  it('registers, signs in with the company, calls, and refreshes', async () => {
    const gateway = await start()
    const keeper = new Keeper()
    const peer = open(gateway.endpoint, keeper)
    closing.push(() => peer.close())
    await expect(peer.connect()).rejects.toThrow(/unauthorized/i)
    await peer.finish(keeper.answer)
    await peer.connect()
    expect(await peer.call()).toBe('pong')
    const { access_token: first } = keeper.saved.get('tokens') as { access_token: string }
    const before = keeper.refreshes
    // As if it had expired.
    keeper.saved.set('tokens', { ...(keeper.saved.get('tokens') as object), access_token: `${first}x` })
    expect(await peer.call()).toBe('pong')
    expect(keeper.refreshes).toBe(before + 1)
  })
})
