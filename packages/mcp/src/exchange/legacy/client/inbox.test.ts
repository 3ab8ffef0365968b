import { describe, expect, it } from 'vitest'
import type { JsonRpcResponse } from '../../../jsonrpc/index.ts'
import { META } from '../../../protocol/index.ts'
import {
  metaOf,
  ScriptedPeer,
  testExchange,
  type TestExchange,
  until,
} from '../../client/client-edge-peer.test.support.ts'
import type { InputRequests, InputResponses } from '../../exchange.ts'
import { LegacyClientEdge, type LegacyClientEdgeOptions } from './edge.ts'
import type { Owner } from '../../client/client-edge.ts'

const elicit = { message: 'name?', requestedSchema: { type: 'object' } }
const as = (principal: string) => ({
  auth: { principal: { kind: 'key', issuer: '', subject: principal }, scopes: [], claims: {} } as const,
})

/** A server that answers `tools/call` when the test says so. */
async function connect(options: Partial<LegacyClientEdgeOptions> = {}) {
  const answers = new Map<unknown, (result: object) => void>()
  const peer = new ScriptedPeer(({ request }) => {
    if (request.method === 'initialize') {
      const serverInfo = { name: 'old', version: '1' }
      return { protocolVersion: '2025-11-25', capabilities: { logging: {} }, serverInfo }
    }
    if (request.method === 'logging/setLevel') return {}
    return new Promise((resolve) => answers.set(request.params?.name, resolve))
  })
  const edge = await LegacyClientEdge.connect(peer, {
    info: { name: 'us', version: '1' },
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    ...options,
  })
  const call = async (name: string, extra: Parameters<typeof testExchange>[2] = {}) => {
    const exchange = testExchange('tools/call', { name, _meta: { progressToken: name } }, extra)
    const outcome = edge.handle(exchange)
    outcome.catch(() => {})
    await until(() => answers.has(name))
    return { exchange, outcome }
  }
  const giveUp = async (exchange: TestExchange, outcome: Promise<unknown>) => {
    exchange.abort.abort()
    await expect(outcome).rejects.toMatchObject({ code: 'cancelled' })
  }
  return { peer, edge, answers, call, giveUp }
}

const answering = (asked: InputRequests[]) => async (requests: InputRequests) => {
  asked.push(requests)
  const entries = Object.keys(requests).map((key) => [key, { action: 'accept', content: {} }])
  return Object.fromEntries(entries) as InputResponses
}
const isRefused = (response: JsonRpcResponse): boolean => 'error' in response

describe('a question that calls of two users may have caused', () => {
  const PATIENT = { questionPatience: 60_000 }
  const two = async (options: Partial<LegacyClientEdgeOptions> = PATIENT) => {
    const asked = { ann: [] as InputRequests[], ben: [] as InputRequests[] }
    const told: [number, boolean][] = []
    const onSharedQuestion = (calls: readonly unknown[], refused: boolean) =>
      told.push([calls.length, refused])
    const connected = await connect({ ...options, onSharedQuestion })
    const ann = await connected.call('a', { ...as('ann'), ask: answering(asked.ann) })
    const ben = await connected.call('b', { ...as('ben'), ask: answering(asked.ben) })
    return { ...connected, ann, ben, asked, told }
  }

  it('waits until the call of one of them has its answer, and is for the other', async () => {
    const { peer, answers, asked, told } = await two()
    const answer = peer.push('elicitation/create', elicit)
    await until(() => told.length === 1)
    answers.get('a')!({ content: [] })
    expect(isRefused(await answer)).toBe(false)
    expect([asked.ann.length, asked.ben.length]).toEqual([0, 1])
    expect(told).toEqual([
      [0, true],
      [1, false],
    ])
    peer.die()
  })

  it('is not for a call that began after it', async () => {
    const { peer, answers, asked, told, call } = await two()
    const answer = peer.push('elicitation/create', elicit)
    await until(() => told.length === 1)
    await call('c', as('cyd'))
    answers.get('b')!({ content: [] })
    expect(isRefused(await answer)).toBe(false)
    expect([asked.ann.length, asked.ben.length]).toEqual([1, 0])
    peer.die()
  })

  it('is refused when both of them ask: neither call would end', async () => {
    const { peer, asked } = await two()
    const answers = [1, 2].map(() => peer.push('elicitation/create', elicit))
    expect((await Promise.all(answers)).map(isRefused)).toEqual([true, true])
    expect([asked.ann.length, asked.ben.length]).toEqual([0, 0])
    peer.die()
  })

  it('is refused when one of the calls is given up, which may have asked', async () => {
    const { peer, asked, told, ann, giveUp } = await two()
    const answer = peer.push('elicitation/create', elicit)
    await until(() => told.length === 1)
    await giveUp(ann.exchange, ann.outcome)
    expect(isRefused(await answer)).toBe(true)
    expect([asked.ann.length, asked.ben.length]).toEqual([0, 0])
    peer.die()
  })

  it.each([0, 20])('is refused when nothing ends within %s ms', async (questionPatience) => {
    const { peer, asked } = await two({ questionPatience })
    expect(isRefused(await peer.push('elicitation/create', elicit))).toBe(true)
    expect([asked.ann.length, asked.ben.length]).toEqual([0, 0])
    peer.die()
  })
})

describe('a call that was given up', () => {
  it('keeps its questions from another user until the server has answered it', async () => {
    const { peer, call, giveUp, answers } = await connect()
    const asked: InputRequests[] = []
    const ann = await call('a', as('ann'))
    await giveUp(ann.exchange, ann.outcome)
    await call('b', { ...as('ben'), ask: answering(asked) })
    expect(isRefused(await peer.push('elicitation/create', elicit))).toBe(true)
    expect(asked).toEqual([])
    answers.get('a')!({ content: [] })
    await expect.poll(async () => isRefused(await peer.push('elicitation/create', elicit))).toBe(false)
    expect(asked).not.toEqual([])
    peer.die()
  })

  it('keeps its log messages from another user', async () => {
    const { peer, call, giveUp } = await connect()
    const ann = await call('a', { ...as('ann'), logLevel: 'debug' })
    await giveUp(ann.exchange, ann.outcome)
    const ben = await call('b', { ...as('ben'), logLevel: 'debug' })
    peer.notify('notifications/message', { level: 'error', data: 'of Ann' })
    expect(ben.exchange.notifications).toEqual([])
    peer.die()
  })

  it('keeps its progress from another user, on whatever stream it comes', async () => {
    const { peer, call, giveUp } = await connect()
    const ann = await call('a', as('ann'))
    const token = metaOf(peer.of('tools/call')[0], 'progressToken')
    await giveUp(ann.exchange, ann.outcome)
    const ben = await call('b', as('ben'))
    peer.notify('notifications/progress', { progressToken: token, progress: 1 })
    expect(ben.exchange.notifications).toEqual([])
    peer.die()
  })

  it('is not guessed about after any number of them', async () => {
    const { peer, call, giveUp } = await connect()
    const asked: InputRequests[] = []
    for (let n = 0; n < 400; n++) {
      const one = await call(`a${n}`, as(`user ${n}`))
      await giveUp(one.exchange, one.outcome)
    }
    await call('b', { ...as('ben'), ask: answering(asked) })
    expect(isRefused(await peer.push('elicitation/create', elicit))).toBe(true)
    peer.die()
  })

  it('does not keep the next question from the same user', async () => {
    const { peer, call, giveUp } = await connect()
    const asked: InputRequests[] = []
    const first = await call('a', as('ann'))
    await giveUp(first.exchange, first.outcome)
    await call('b', { ...as('ann'), ask: answering(asked) })
    expect(isRefused(await peer.push('elicitation/create', elicit))).toBe(false)
    peer.die()
  })

  it('is no other than the next for two sessions of one user, nor for two anonymous callers', async () => {
    for (const [one, other] of [
      [{ session: 's1' }, { session: 's2' }],
      [{}, {}],
      [{ ...as('ann'), session: 's1' }, as('ann')],
    ]) {
      const { peer, call, giveUp } = await connect()
      const first = await call('a', one)
      await giveUp(first.exchange, first.outcome)
      await call('b', { ...other, ask: answering([]) })
      expect(isRefused(await peer.push('roots/list'))).toBe(true)
      peer.die()
    }
  })
})

describe('a message that names a call or a task', () => {
  it('is never given to another call when the one it names is over', async () => {
    const { peer, call } = await connect()
    await call('b', { ...as('ben'), ask: answering([]) })
    for (const _meta of [{ 'dev.gantry/relatedRequest': 999 }, { [META.relatedTask]: { taskId: 'gone' } }]) {
      expect(isRefused(await peer.push('elicitation/create', { ...elicit, _meta }))).toBe(true)
    }
    peer.die()
  })

  it('is not shown to the caller of whose stream it comes on when it is about a task', async () => {
    const notifications: unknown[] = []
    const { peer } = await connect({ onNotification: ({ method }) => notifications.push(method) })
    peer.notify('notifications/tasks/status', { taskId: 't', status: 'working' })
    expect(notifications).toEqual(['notifications/tasks/status'])
    peer.die()
  })
})

describe('several calls of one owner', () => {
  const ann = { ...as('ann'), session: 's1' }

  it('are asked live, through one of them, and the others are not timed out meanwhile', async () => {
    const { peer, call } = await connect()
    const asked: InputRequests[] = []
    const paused: string[] = []
    const pausing = (name: string, exchange: TestExchange) => {
      exchange.whilePaused = async (work) => {
        paused.push(name)
        return work()
      }
    }
    const first = await call('a', { ...ann, ask: answering(asked) })
    const second = await call('b', { ...ann, ask: answering(asked) })
    pausing('a', first.exchange)
    pausing('b', second.exchange)
    expect(isRefused(await peer.push('elicitation/create', elicit))).toBe(false)
    expect(asked).toHaveLength(1)
    // The one that asks pauses by itself.
    expect(paused).toEqual(['b'])
    peer.die()
  })

  it('may all ask at the same time, and no more than that', async () => {
    let open = 0
    const { peer, call } = await connect({ ask: () => new Promise(() => open++) })
    for (let index = 0; index < 100; index++) await call(`call ${index}`, ann)
    const refused = Array.from({ length: 101 }, () => peer.push('elicitation/create', elicit))
    await expect.poll(() => open).toBe(100)
    expect(isRefused(await Promise.race(refused))).toBe(true)
    peer.die()
  })

  it('are asked with the outcome of one of them where nobody answers live', async () => {
    const { peer, call, edge } = await connect()
    const first = await call('a', as('ann'))
    await call('b', as('ann'))
    const answered = peer.push('elicitation/create', elicit)
    const outcome = await first.outcome
    if (outcome.type !== 'input_required') throw new Error(outcome.type)
    const [key] = Object.keys(outcome.inputRequests!) as [string]
    const inputResponses = { [key]: { action: 'decline' } }
    const { requestState } = outcome
    const retry = testExchange('tools/call', { name: 'a', inputResponses, requestState }, as('ann'))
    edge.handle(retry).catch(() => {})
    expect(await answered).toMatchObject({ result: { action: 'decline' } })
    peer.die()
  })

  it('hand the question on when the one that carried it is over', async () => {
    const { peer, call, answers } = await connect()
    const first = await call('a', as('ann'))
    const second = await call('b', as('ann'))
    void peer.push('elicitation/create', elicit)
    expect(await first.outcome).toMatchObject({ type: 'input_required' })
    answers.get('a')!({ content: [] })
    expect(await second.outcome).toMatchObject({ type: 'input_required' })
    peer.die()
  })

  it('ask again what was taken for a question of the one that ended, as the other waited for an answer', async () => {
    const { peer, edge, call, answers } = await connect()
    const first = await call('a', as('ann'))
    const second = await call('b', as('ann'))
    void peer.push('roots/list', {})
    const carried = await first.outcome
    if (carried.type !== 'input_required') throw new Error(carried.type)
    const answered = peer.push('elicitation/create', elicit)
    expect(await second.outcome).toMatchObject({ type: 'input_required' })
    // The first question was that of b, and the second that of a.
    answers.get('b')!({ content: [] })
    const resume = (outcome: typeof carried, answer: object) => {
      const inputResponses = { [Object.keys(outcome.inputRequests!)[0]!]: answer }
      const { requestState } = outcome
      return edge.handle(testExchange('tools/call', { name: 'a', inputResponses, requestState }, as('ann')))
    }
    const asked = await resume(carried, { roots: [] })
    if (asked.type !== 'input_required') throw new Error(asked.type)
    resume(asked, { action: 'decline' }).catch(() => {})
    expect(await answered).toMatchObject({ result: { action: 'decline' } })
    peer.die()
  })

  it('get a log message once', async () => {
    const { peer, call } = await connect()
    const calls = [
      await call('a', { ...ann, logLevel: 'info' }),
      await call('b', { ...ann, logLevel: 'info' }),
    ]
    peer.notify('notifications/message', { level: 'error', data: 1 })
    expect(calls.flatMap(({ exchange }) => exchange.notifications)).toHaveLength(1)
    peer.die()
  })

  it('get a log message while requests of nobody are under way', async () => {
    const { peer, edge, call, giveUp } = await connect({
      ownerOf: ({ method, auth }) =>
        method === 'tools/list' ? undefined : { session: undefined, principal: auth?.principal },
    })
    const list = () => testExchange('tools/list', { name: 'list' })
    const gone = list()
    await giveUp(gone, edge.handle(gone))
    edge.handle(list()).catch(() => {})
    const { exchange } = await call('a', { ...as('ann'), logLevel: 'info' })
    peer.notify('notifications/message', { level: 'error', data: 1 })
    expect(exchange.notifications).toHaveLength(1)
    peer.die()
  })

  it('are all of one user where the connection says so: it is asked', async () => {
    const author: Owner = { session: undefined, principal: undefined }
    const asked: InputRequests[] = []
    const { peer, call } = await connect({ ownerOf: () => author, ask: answering(asked) })
    await call('a')
    await call('b')
    for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
      expect(isRefused(await peer.push(method, method === 'elicitation/create' ? elicit : {}))).toBe(false)
    }
    expect(asked).toHaveLength(3)
    peer.die()
  })
})
