import { describe, expect, it } from 'vitest'
import {
  cancellationOf,
  Canceller,
  NEVER_CANCELLED,
  signalCancellation,
  PlainExchange,
  composeMiddleware,
} from './plain-exchange.ts'
import { type Exchange, complete, type Handle, type Middleware } from './exchange.ts'
import { deriveExchange } from './derive-exchange.ts'

const facts = { method: 'ping', params: {}, client: { capabilities: {}, version: '2026-07-28' } } as const

describe('Canceller', () => {
  it('tells listeners once, in order, and not those that have left', () => {
    const canceller = new Canceller()
    const heard: string[] = []
    const gone = (): void => void heard.push('gone')
    canceller.onAbort(() => heard.push('first'))
    canceller.onAbort(gone)
    canceller.onAbort(() => heard.push('second'))
    canceller.offAbort(gone)
    canceller.abort('why')
    canceller.abort('again')
    expect(heard).toEqual(['first', 'second'])
    expect([canceller.aborted, canceller.reason]).toEqual([true, 'why'])
  })

  it('lets listeners leave while they are told', () => {
    const canceller = new Canceller()
    const heard: number[] = []
    const first = (): void => {
      heard.push(1)
      canceller.offAbort(first)
    }
    canceller.onAbort(first)
    canceller.onAbort(() => heard.push(2))
    canceller.abort()
    expect(heard).toEqual([1, 2])
  })

  it('has a signal that says the same, whenever it is asked for', () => {
    const [before, after] = [new Canceller(), new Canceller()]
    const { signal } = before
    expect(signal.aborted).toBe(false)
    for (const one of [before, after]) one.abort('why')
    for (const one of [signal, after.signal]) expect([one.aborted, one.reason]).toEqual([true, 'why'])
    expect(before.signal).toBe(signal)
  })
})

describe('cancellationOf', () => {
  it('makes no signal for an exchange of ours, and follows the signal of a copy', () => {
    const exchange = new PlainExchange(facts)
    expect(cancellationOf(exchange)).toBe(exchange)
    const other = new AbortController()
    const copy: Exchange = { ...exchange, notify() {}, signal: other.signal }
    const found = cancellationOf(copy)
    let told = 0
    const listener = (): void => void told++
    found.onAbort(listener)
    exchange.abort()
    expect([found.aborted, told]).toEqual([false, 0])
    other.abort('why')
    expect([found.aborted, found.reason, told]).toEqual([true, 'why', 1])
  })

  it('takes listeners off a signal that goes on', () => {
    const controller = new AbortController()
    let told = 0
    const listener = (): void => void told++
    signalCancellation(controller.signal).onAbort(listener)
    signalCancellation(controller.signal).offAbort(listener)
    controller.abort()
    expect(told).toBe(0)
  })

  it('knows what nobody can end', () => {
    NEVER_CANCELLED.onAbort(() => expect.unreachable())
    expect(signalCancellation(undefined)).toBe(NEVER_CANCELLED)
    expect([NEVER_CANCELLED.aborted, NEVER_CANCELLED.signal.aborted]).toEqual([false, false])
  })
})

const exchange = (): Exchange =>
  new PlainExchange({ method: 'x', params: {}, client: { capabilities: {}, version: '2026-07-28' } })

describe('composed middleware', () => {
  it('is the handle itself when there is none', () => {
    const handle: Handle = () => complete({})
    expect(composeMiddleware([], handle)).toBe(handle)
  })

  it('runs in the order of the list, and back', async () => {
    const seen: string[] = []
    const named =
      (name: string): Middleware =>
      async (_exchange, next) => {
        seen.push(`${name} in`)
        const outcome = await next()
        seen.push(`${name} out`)
        return outcome
      }
    const handle = composeMiddleware([named('a'), named('b')], () => {
      seen.push('handle')
      return complete({})
    })
    await handle(exchange())
    expect(seen).toEqual(['a in', 'b in', 'handle', 'b out', 'a out'])
  })

  it('passes on the exchange that next is called with, and otherwise the one that came', async () => {
    const changing: Middleware = (one, next) => next(deriveExchange(one, { params: { changed: true } }))
    const passing: Middleware = (_one, next) => next()
    const handle = composeMiddleware([passing, changing, passing], ({ params }) => complete(params))
    expect(await handle(exchange())).toMatchObject({ result: { changed: true } })
  })

  it.each([
    ['answers at once', () => complete({}), { type: 'complete' }],
    ['throws at once', () => Promise.reject(new Error('thrown')), 'thrown'],
    [
      'throws before its first promise',
      () => {
        throw new Error('thrown')
      },
      'thrown',
    ],
  ])('gives a link a promise when the handle %s', async (_how, inner: Handle, expected) => {
    let given: unknown
    const handle = composeMiddleware(
      [
        (_one, next) => {
          const promise = next()
          given = promise
          return promise
        },
      ],
      inner,
    )
    const outcome = Promise.resolve(handle(exchange())).catch((error: Error) => error.message)
    expect(given).toBeInstanceOf(Promise)
    expect(await outcome).toEqual(typeof expected === 'string' ? expected : expect.objectContaining(expected))
  })

  it('adds no promise of its own to one that is there', () => {
    const answer = Promise.resolve(complete({}))
    const handle = composeMiddleware([(_one, next) => next(), (_one, next) => next()], () => answer)
    expect(handle(exchange())).toBe(answer)
  })
})
