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
import {
  GuardedWorld,
  NATIVE_APP,
} from '../../packages/mcp/src/auth/guard/fixtures/guarded-world.test.node.ts'

const info = { name: 'official', version: '1' }
let world: GuardedWorld
afterEach(() => world.stop())

/** A user with a browser, as the official clients want it: state in memory, the code handed over by hand. */
class User {
  readonly #saved = new Map<string, unknown>()
  readonly #redirect = world.oidc.redirect()
  #uri = ''
  #answer: Promise<URLSearchParams> | undefined

  /** Opens the place to come back to; each sign-in has its own. */
  async expectSignIn(): Promise<void> {
    await this.#redirect.close?.()
    const { uri } = this.#redirect
    this.#uri = typeof uri === 'string' ? uri : await uri()
  }

  get provider(): Provider1 & Provider2 {
    const saved = this.#saved
    const keep = (key: string) => (value: unknown) => void saved.set(key, value)
    const uri = () => this.#uri
    const provider = {
      get redirectUrl() {
        return uri()
      },
      clientMetadata: NATIVE_APP,
      state: () => {
        saved.set('state', crypto.randomUUID())
        return saved.get('state') as string
      },
      clientInformation: () => ({ client_id: NATIVE_APP.client_id }),
      tokens: () => saved.get('tokens'),
      saveTokens: keep('tokens'),
      saveDiscoveryState: keep('discovery'),
      discoveryState: () => saved.get('discovery'),
      saveCodeVerifier: keep('verifier'),
      codeVerifier: () => saved.get('verifier'),
      redirectToAuthorization: (url: URL) => this.#browse(url),
    }
    return provider as unknown as Provider1 & Provider2
  }

  #browse(url: URL): void {
    const expected = { state: this.#saved.get('state') as string, signal: AbortSignal.timeout(10_000) }
    this.#answer = (async () => {
      await this.#redirect.open(url.href)
      return (await this.#redirect.waitForCode(expected)) as URLSearchParams
    })()
  }

  /** What the authorization server sent the user back with. */
  async answer(): Promise<URLSearchParams> {
    const answer = await this.#answer!
    await this.#redirect.close?.()
    return answer
  }
}

interface Peer {
  connect(): Promise<void>
  call(name: string): Promise<string>
  finish(answer: URLSearchParams): Promise<void>
  close(): Promise<void>
}

function official1(user: User): Peer {
  const client = new Client1(info)
  const open = () => new Http1(new URL(world.url), { authProvider: user.provider })
  let transport = open()
  return {
    connect: () => client.connect(transport as Transport),
    call: async (name) => textOf(await client.callTool({ name })),
    finish: async (answer) => {
      await transport.finishAuth(answer.get('code')!)
      if (client.transport === undefined) transport = open()
    },
    close: () => client.close(),
  }
}

function official2(user: User, mode: 'legacy' | { pin: string }): Peer {
  const client = new Client2(info, { versionNegotiation: { mode } })
  const open = () => new Http2(new URL(world.url), { authProvider: user.provider })
  let transport = open()
  return {
    connect: () => client.connect(transport),
    call: async (name) => textOf(await client.callTool({ name })),
    finish: async (answer) => {
      await transport.finishAuth(answer)
      if (client.transport === undefined) transport = open()
    },
    close: () => client.close(),
  }
}

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content[0]!.text
}

describe.each<[string, (user: User) => Peer]>([
  ['1.32', official1],
  ['2.4 legacy', (user) => official2(user, 'legacy')],
  ['2.4 modern', (user) => official2(user, { pin: '2026-07-28' })],
])('the official client %s', (_name, open) => {
  it('finds out where to sign in, and asks for more scope when a tool needs it', async () => {
    world = await new GuardedWorld().start({ format: 'jwt' })
    const user = new User()
    await user.expectSignIn()
    const peer = open(user)
    await expect(peer.connect()).rejects.toThrow(/unauthorized/i)
    await peer.finish(await user.answer())
    await peer.connect()
    expect(await peer.call('whoami')).toBe(`${world.issuer} ann notes:read`)

    await user.expectSignIn()
    await expect(peer.call('publish')).rejects.toThrow(/unauthorized/i)
    await peer.finish(await user.answer())
    expect(world.oidc.authorizations.at(-1)?.get('scope')).toContain('notes:write')
    expect(await peer.call('publish')).toBe('published')
    await peer.close()
  })
})
