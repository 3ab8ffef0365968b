import { afterEach, expect, it } from 'vitest'
import { Client } from '../../client/index.ts'
import type { JsonObject } from '../../jsonrpc/index.ts'
import type { ElicitParams } from '../../protocol/index.ts'
import { envelope } from '../../testing/fixtures/both-eras.test.support.ts'
import { RawPeer } from '../../testing/fixtures/raw-peer.test.support.ts'
import { eras } from '../../testing/index.ts'
import { memory } from '../../transport/memory.ts'
import { prompt, Server, tool, UrlElicitationRequired } from '../index.ts'

let isSignedIn = false
/** When the handler was run. */
let runs: number[] = []
afterEach(() => {
  isSignedIn = false
  runs = []
})

function requireSignIn(): void {
  runs.push(performance.now())
  const page = { message: 'Sign in', url: 'https://example.com/sign-in', elicitationId: 'visit-1' }
  if (!isSignedIn) throw new UrlElicitationRequired([page])
}
const createApp = () =>
  new Server({
    name: 's',
    tools: {
      mail: tool({
        run: async () => {
          requireSignIn()
          return 'two mails'
        },
      }),
      now: tool({
        run: () => {
          requireSignIn()
          return 'at once'
        },
      }),
      open: tool({
        run: async (_args, ctx) => {
          await ctx.openUrl('Pay', 'https://example.com/pay', { elicitationId: 'pay-1' })
          ctx.elicit.complete('pay-1')
          return 'paid'
        },
      }),
    },
    prompts: {
      mail: prompt({
        run: () => {
          requireSignIn()
          return 'Read my mail'
        },
      }),
    },
  })

/** A user who signs in once the call was sent again, or the client waits for word of it. */
function visitor(app: Server, asked: ElicitParams[]) {
  return (params: ElicitParams) => {
    asked.push(params)
    const timer = setInterval(() => {
      if (app.listeners > 0 ? asked.length === 0 : runs.length < 2) return
      clearInterval(timer)
      isSignedIn = true
      runs = [performance.now()]
      app.notifyElicitationComplete('visit-1')
    }, 5)
    return { action: 'accept' as const }
  }
}

it.each(['2025-11-25', '2026-07-28'] as const)(
  'a client of %s is sent to the page once, and the call goes on when it is told that the visit is over',
  async (protocolVersion) => {
    const calls = [
      (client: Client) => client.call('mail').then((result) => result.text()),
      (client: Client) => client.call('now').then((result) => result.text()),
      (client: Client) =>
        client.getPrompt('mail').then(({ messages }) => (messages[0]!.content as { text: string }).text),
    ]
    const results: string[] = []
    for (const call of calls) {
      isSignedIn = false
      runs = []
      const app = createApp() as Server
      const asked: ElicitParams[] = []
      await using client = new Client({
        connector: memory(app),
        protocolVersion,
        elicit: visitor(app, asked),
      })
      results.push(await call(client))
      // Without the word of the server, the first look would come after two seconds.
      expect(runs[1]! - runs[0]!).toBeLessThan(1_400)
      expect(asked).toMatchObject([{ mode: 'url', message: 'Sign in', url: 'https://example.com/sign-in' }])
    }
    expect(results).toEqual(['two mails', 'at once', 'Read my mail'])
  },
)

it('finds out by itself where the server never says that the visit is over', async () => {
  await using client = new Client({
    connector: memory(createApp()),
    protocolVersion: '2026-07-28',
    elicit: () => {
      setTimeout(() => (isSignedIn = true), 10)
      return { action: 'accept' }
    },
  })
  expect((await client.call('mail')).text()).toBe('two mails')
})

it('a user who declines gets a readable result, and is not asked again', async () => {
  let asked = 0
  const elicit = () => {
    asked++
    return { action: 'decline' as const }
  }
  await using client = new Client({ connector: memory(createApp()), protocolVersion: '2026-07-28', elicit })
  const result = await client.call('mail')
  expect([result.isError, result.text(), asked]).toEqual([true, 'The user declined: Sign in', 1])
  await expect(client.getPrompt('mail')).rejects.toMatchObject({ code: -32600 })
})

it('on the wire: error −32042 and the notification in 2025-11-25, a question in 2026-07-28', async () => {
  const app = createApp() as Server
  const peer = new RawPeer(app)
  await peer.handshake('2025-11-25', { elicitation: { url: {} } })
  expect(await peer.request('tools/call', { name: 'mail' })).toMatchObject({
    error: { code: -32042, data: { elicitations: [{ mode: 'url', elicitationId: 'visit-1' }] } },
  })
  const other = new RawPeer(app)
  await other.handshake('2025-11-25', { elicitation: { url: {} } })
  app.notifyElicitationComplete('visit-1')
  await expect
    .poll(() => peer.heardOf('notifications/elicitation/complete'))
    .toEqual([
      { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'visit-1' } },
    ])
  // Only the client that was sent there hears of it (2025-11-25, Elicitation).
  expect(other.heardOf('notifications/elicitation/complete')).toEqual([])
  const params = { name: 'mail', ...envelope({ elicitation: { url: {} } }) }
  const asked = await app.handle({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  expect(asked).toMatchObject({
    result: { resultType: 'input_required', inputRequests: { 'url-1': { params: { mode: 'url' } } } },
  })
  expect(JSON.stringify(asked)).not.toContain('visit-1')
})

it('a client that cannot open pages is told so, and gets no error −32042', async () => {
  const app = createApp()
  for (const protocolVersion of ['2025-06-18', '2025-11-25'] as const) {
    await using client = new Client({ connector: memory(app), protocolVersion })
    const result = await client.call('mail')
    expect([result.isError, result.text()]).toEqual([true, 'The client does not support elicitation.url'])
  }
  await using client = new Client({ connector: memory(app), protocolVersion: '2026-07-28' })
  await expect(client.call('mail')).rejects.toMatchObject({ code: -32021 })
})

it('ends when its caller gives up while the user is on the page', async () => {
  const abort = new AbortController()
  await using client = new Client({
    connector: memory(createApp()),
    protocolVersion: '2026-07-28',
    elicit: () => {
      setTimeout(() => abort.abort(), 20)
      return { action: 'accept' }
    },
  })
  await expect(client.call('mail', {}, { signal: abort.signal })).rejects.toMatchObject({ code: 'cancelled' })
})

it('a page that is opened in the middle of a call has a name in 2025-11-25 alone, and its end is told', async () => {
  await eras(createApp as () => Server, async ({ client, answers, era, traffic }) => {
    answers.accept()
    expect((await client.call('open')).text()).toBe('paid')
    const said = traffic.map(({ text }) => JSON.parse(text) as JsonObject)
    const ends = said.filter(({ method }) => method === 'notifications/elicitation/complete')
    expect(ends.length).toBe(era === 'legacy' ? 1 : 0)
    expect(JSON.stringify(said).includes('pay-1')).toBe(era === 'legacy')
  })
})
