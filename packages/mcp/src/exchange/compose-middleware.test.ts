import { describe, expect, it } from 'vitest'
import { composeMiddleware } from './compose-middleware.ts'
import { deriveExchange } from './derive-exchange.ts'
import { complete, type Exchange, type Handle, type Middleware } from './exchange.ts'
import { LiveExchange } from './live-exchange.ts'

const exchange = (): Exchange =>
  new LiveExchange({ method: 'x', params: {}, client: { capabilities: {}, version: '2026-07-28' } })

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
