import { afterEach, describe, expect, it } from 'vitest'
import { Budget } from '../../../protocol/callers.ts'
import { Server, tool } from '../../../server/index.ts'
import { until } from '../../../testing/fixtures/raw-peer.test.support.ts'
import { EventLog, KeptEvents } from './event-log.ts'
import { HttpHost } from '../../fixtures/http-hosts.test.node.ts'
import type { Guard } from './reply.ts'

const NEWS = `{"jsonrpc":"2.0","method":"notifications/message","params":"${'n'.repeat(50)}"}`
const QUESTION = `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":"${'q'.repeat(50)}"}`

const logWith = (budget: Budget, perStream = 1000): EventLog =>
  new EventLog(7, { maxEvents: 10, maxCharacters: perStream }, new KeptEvents('a', budget, perStream))

describe('EventLog', () => {
  it('drops old news and says nothing of it, but does not pretend to have a message that a client waits for', () => {
    const log = logWith(new Budget({ perCaller: 10_000, total: 10_000 }), 2000)
    for (let i = 0; i < 15; i++) log.append(NEWS)
    expect(log.after(0)).toHaveLength(10)
    log.append(QUESTION)
    for (let i = 0; i < 10; i++) log.append(NEWS)
    expect(log.after(15)).toBeUndefined()
    expect(log.after(16)).toHaveLength(10)
  })

  it('keeps no event that is longer than the budget, nor one that has no room', () => {
    const budget = new Budget({ perCaller: 300, total: 1000 })
    const log = logWith(budget)
    log.append('x'.repeat(2000))
    expect([budget.held, log.after(0), log.after(1)]).toEqual([0, undefined, []])
    const other = logWith(budget)
    other.append('x'.repeat(250))
    log.append('y'.repeat(100))
    expect([budget.held, log.after(1)]).toEqual([250, undefined])
    other.clear()
    log.append('z'.repeat(100))
    expect([budget.held, log.after(2)]).toEqual([100, [{ id: expect.any(String), text: 'z'.repeat(100) }]])
  })
})

const release: (() => void)[] = []
afterEach(() => {
  for (const go of release.splice(0)) go()
})

const app = (): Server =>
  new Server({
    name: 's',
    tools: {
      detached: tool({
        run: async ({ size }, ctx) => {
          ctx.detach(5)
          return 'x'.repeat(Number(size))
        },
      }),
      chatty: tool({
        run: async ({ size }, ctx) => {
          await ctx.log('error', 'x'.repeat(Number(size)))
          await new Promise<void>((resolve) => release.push(resolve))
          return 'done'
        },
      }),
    },
  }) as Server

const guard: Guard = ({ headers }) => ({
  ok: true,
  auth: { principal: { kind: 'key', subject: headers.authorization ?? '' }, scopes: [], claims: {} },
})

const call = (id: number, name: string, size: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { size } },
})

/** What a client gets that comes back for the rest of its answer. */
async function comeBack(host: HttpHost, session: Record<string, string>, size: number): Promise<unknown> {
  const events = host.events(await host.post(call(7, 'detached', size), session))
  const first = await events.next()
  while (await events.next());
  const headers = { accept: 'text/event-stream', 'last-event-id': first!.id!, ...session }
  return host.events(await host.request({ method: 'GET', headers })).message()
}

describe('what is kept for clients that come back', () => {
  it('is not an answer that is longer than the budget: its client learns that at once', async () => {
    await using host = await HttpHost.open('node', app(), { events: { maxEvents: 10, maxCharacters: 5_000 } })
    const session = await host.session()
    expect(await comeBack(host, session, 100)).toMatchObject({ id: 7, result: {} })
    expect(await comeBack(host, session, 10_000)).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining('is gone') },
    })
    expect(host.service.meter.events.held).toBeLessThan(500)
  })

  it('is bounded for a session, for a caller and in all, and is given back', async () => {
    const limits = { events: { perCaller: 20_000, total: 30_000 } }
    const events = { maxEvents: 10, maxCharacters: 5_000 }
    await using host = await HttpHost.open('node', app(), { guard, limits, events })
    const { meter, sessions } = host.service
    const chat = async (authorization: string): Promise<Record<string, string>> => {
      const session = await host.session('2025-11-25', {}, { authorization })
      const before = release.length
      for (let id = 1; id <= 8; id++) void host.post(call(id, 'chatty', 4_000), session).catch(() => {})
      await until(() => release.length === before + 8)
      return session
    }
    await chat('a')
    expect(meter.events.held).toBeLessThanOrEqual(10_000)
    await chat('a')
    await chat('a')
    expect(meter.events.held).toBeLessThanOrEqual(20_000)
    const other = await chat('b')
    expect(meter.events.heldBy('principal ["key",null,"b"]')).toBeGreaterThan(0)
    await chat('c')
    expect(meter.events.held).toBeLessThanOrEqual(30_000)
    await host.request({ method: 'DELETE', headers: other })
    expect(meter.events.heldBy('principal ["key",null,"b"]')).toBe(0)
    for (const session of [...sessions.all.values()]) host.service.endSession(session)
    expect(meter.events.held).toBe(0)
  })

  it('is given back with a stream that ends as it should', async () => {
    await using host = await HttpHost.open('node', app())
    const session = await host.session('2025-03-26')
    const batch = host.post([call(1, 'chatty', 4_000)], session)
    await until(() => release.length === 1)
    expect(host.service.meter.events.held).toBeGreaterThan(4_000)
    for (const go of release.splice(0)) go()
    await (await batch).text()
    expect(host.service.meter.events.held).toBe(0)
  })
})
