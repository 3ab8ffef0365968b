import {
  Client as Client2,
  type OAuthClientProvider as Provider2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import type { OAuthClientProvider as Provider1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { Browser } from './company.ts'

const REDIRECT = 'http://127.0.0.1:33418/callback'

/** What an official client keeps: everything in memory, and a person at a browser. */
export class Keeper {
  readonly saved = new Map<string, unknown>()
  answer = new URLSearchParams()
  refreshes = 0
  /** How often the person was sent somewhere. */
  visits = 0
  readonly #browser: () => Browser

  constructor(browser: () => Browser = () => new Browser()) {
    this.#browser = browser
  }

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
        this.visits++
        const end = await this.#browser().browse(url.href, (at) => at.startsWith(REDIRECT))
        this.answer = new URL(end).searchParams
      },
    } as unknown as Provider1 & Provider2
  }
}

/** An official client with a login, and with no other ability. */
export interface Peer {
  connect(): Promise<void>
  call(name: string): Promise<string>
  /** Redeems the code that the person came back with. */
  finish(answer: URLSearchParams): Promise<void>
  close(): Promise<void>
}

const info = { name: 'official', version: '1' }
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]!.text

/** Shows a page to the person; a client with it has elicitation in URL mode, and no other ability. */
type OpenPage = (url: string) => void

const WITH_PAGES = { capabilities: { elicitation: { url: {} } } }

function official1(endpoint: string, { provider }: Keeper, openPage?: OpenPage): Peer {
  const client = new Client1(info, openPage && WITH_PAGES)
  if (openPage) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      if (params.mode === 'url') openPage(params.url)
      return { action: 'accept' as const }
    })
  }
  let transport = new Http1(new URL(endpoint), { authProvider: provider })
  return {
    connect: () => client.connect(transport as Transport),
    call: async (name) => textOf(await client.callTool({ name })),
    finish: async (answer) => {
      await transport.finishAuth(answer.get('code')!)
      if (client.transport === undefined) transport = new Http1(new URL(endpoint), { authProvider: provider })
    },
    close: () => client.close(),
  }
}

function official2(
  endpoint: string,
  { provider }: Keeper,
  mode: 'legacy' | { pin: string },
  openPage?: OpenPage,
): Peer {
  const client = new Client2(info, { ...(openPage && WITH_PAGES), versionNegotiation: { mode } })
  if (openPage) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      if (params.mode === 'url') openPage(params.url)
      return { action: 'accept' as const }
    })
  }
  let transport = new Http2(new URL(endpoint), { authProvider: provider })
  return {
    connect: () => client.connect(transport),
    call: async (name) => textOf(await client.callTool({ name })),
    finish: async (answer) => {
      await transport.finishAuth(answer)
      if (client.transport === undefined) transport = new Http2(new URL(endpoint), { authProvider: provider })
    },
    close: () => client.close(),
  }
}

export const OFFICIAL: [string, (endpoint: string, keeper: Keeper, openPage?: OpenPage) => Peer][] = [
  ['1.32', official1],
  ['2.4 legacy', (endpoint, keeper, openPage) => official2(endpoint, keeper, 'legacy', openPage)],
  [
    '2.4 modern',
    (endpoint, keeper, openPage) => official2(endpoint, keeper, { pin: '2026-07-28' }, openPage),
  ],
]
