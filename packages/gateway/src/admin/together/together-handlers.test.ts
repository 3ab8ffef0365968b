import { expect, it } from 'vitest'
import { ApiError } from '../api-error.ts'
import type { AdminEvent, Cause, WhyReport } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import type { AnyRequest } from '../local-api.ts'
import { answerOther, Asking, type OtherGateways } from './asking.ts'
import { togetherHandlers } from './together-handlers.ts'

type Part = Record<string, (request: AnyRequest) => unknown>

/** Other gateways with handlers of their own; undefined: it does not answer. */
function others(parts: Record<string, Part | undefined>): OtherGateways {
  return {
    ids: Object.keys(parts),
    nameOf: (id) => `http://${id}:7333`,
    async *ask(id, question, signal) {
      const part = parts[id]
      if (!part) throw new Error('no answer')
      yield* answerOther(part as unknown as Handlers, JSON.stringify, question, signal)
    },
  }
}

const toJson = (value: unknown): string => JSON.stringify(value)
const request = (more: object = {}): AnyRequest => ({
  caller: { principal: 'somebody', auth: undefined, role: 'admin' },
  signal: new AbortController().signal,
  ...more,
})
const join = (
  own: Part,
  rest: Record<string, Part | undefined>,
): Record<string, (asked: AnyRequest) => unknown> =>
  togetherHandlers(own as unknown as Handlers, new Asking(others(rest), toJson)) as never

const absent = (): never => {
  throw new ApiError('not_found', 'There is no such call')
}
const stats = { calls: 1, errors: 0, traffic: [] }
const overview = (): object => ({
  targets: [],
  total: stats,
  hadClients: false,
  inFlight: 0,
  gateway: { memory: { rss: 1, heapUsed: 1 } },
})
const part: Part = { overview, clients: () => ({ clients: [] }), clearWire: () => ({ ok: true }) }

it('names the gateways that are missing in what is shown, until they answer', async () => {
  const rest: Record<string, Part | undefined> = { second: part, third: undefined }
  const all = join(part, rest)
  expect(await all.overview!(request())).toMatchObject({
    total: { calls: 2 },
    gateway: { processes: 2, unheard: ['http://third:7333'] },
  })
  rest.second = undefined
  expect(await all.overview!(request())).toMatchObject({
    gateway: { unheard: ['http://second:7333', 'http://third:7333'] },
  })
  Object.assign(rest, { second: part, third: part })
  const whole = (await all.overview!(request())) as { gateway: object }
  expect(whole).toMatchObject({ total: { calls: 3 }, gateway: { processes: 3 } })
  expect(whole.gateway).not.toHaveProperty('unheard')
})

it('counts a gateway as missing that fails, but not one that has nothing of it, and not when nobody waits', async () => {
  const failing: Part = { ...part, overview: () => Promise.reject(new Error('broken')) }
  const failed = join(part, { second: failing })
  expect(await failed.overview!(request())).toMatchObject({ gateway: { unheard: ['http://second:7333'] } })
  const without = join(part, { second: { ...part, overview: absent } })
  expect(await without.overview!(request())).not.toHaveProperty('gateway.unheard')
  const left = await join(part, { second: undefined }).overview!(request({ signal: AbortSignal.abort() }))
  expect(left).not.toHaveProperty('gateway.unheard')
})

it('tells the pages that are open which gateways are missing', async () => {
  const at = Date.now()
  async function* events(): AsyncGenerator<{ id: undefined; event: AdminEvent }> {
    yield { id: undefined, event: { type: 'stats', total: stats, targets: {}, clients: 0, inFlight: 0, at } }
    await new Promise(() => {})
  }
  const all = join({ ...part, events }, { second: undefined })
  const open = all.events!(request({ query: { topics: 'stats' } })) as AsyncIterable<{ event: AdminEvent }>
  for await (const { event } of open) {
    if (event.type !== 'stats') continue
    expect(event.unheard).toEqual(['http://second:7333'])
    break
  }
})

it('says when something was not done everywhere, or may be at a gateway that does not answer', async () => {
  await expect(join(part, { second: part, third: undefined }).clearWire!(request())).rejects.toThrow(
    'It is not done everywhere: there is no answer from http://third:7333',
  )
  const none: Part = { ...part, cancelCall: absent }
  const asked = request({ params: { id: 'call' } })
  await expect(join(none, { second: none }).cancelCall!(asked)).rejects.toThrow('no such call')
  await expect(join(none, { second: none, third: undefined }).cancelCall!(asked)).rejects.toThrow(
    'no answer from http://third:7333',
  )
  const has: Part = { ...part, cancelCall: () => ({ ok: true }) }
  expect(await join(none, { second: undefined, third: has }).cancelCall!(asked)).toEqual({ ok: true })
})

it('breaks an export off when a gateway does not answer', async () => {
  const records = (id: number): Part => ({
    ...part,
    async *wireExport() {
      yield { id }
    },
  })
  const read = async (rest: Record<string, Part | undefined>): Promise<unknown[]> => {
    const lines: unknown[] = []
    const all = join(records(1), rest).wireExport!(request()) as AsyncIterable<unknown>
    for await (const line of all) lines.push(line)
    return lines
  }
  expect(await read({ second: records(2) })).toEqual([{ id: 1 }, { id: 2 }])
  await expect(read({ second: undefined })).rejects.toThrow('no answer')
})

it('adds the causes that only another gateway knows', async () => {
  const ok: Cause = { code: 'target-ready', status: 'ok', title: 'It is connected', target: 'notes' }
  const slow: Cause = { code: 'slow', status: 'note', title: 'It is slow', target: 'notes' }
  const failing: Cause = {
    code: 'target-failing',
    status: 'problem',
    title: 'It does not start',
    target: 'notes',
  }
  const why = (...chain: Cause[]): Part => ({
    why: (): WhyReport => ({ name: 'notes', verdict: 'available', summary: 'It works', chain, similar: [] }),
  })
  const asked = request({ query: { name: 'notes' } })
  const all = join(why(ok, slow), { second: why(ok, slow), third: why(failing, slow) })
  expect(await all.why!(asked)).toMatchObject({
    verdict: 'degraded',
    summary: 'It does not start, at another process',
    chain: [ok, slow, { code: 'target-failing', title: 'It does not start, at another process' }],
  })
  const same = await join(why(ok), { second: why(ok) }).why!(asked)
  expect(same).toMatchObject({ verdict: 'available', summary: 'It works', chain: [ok] })
})
