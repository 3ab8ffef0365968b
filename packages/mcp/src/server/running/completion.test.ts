import { describe, expect, it } from 'vitest'
import { eras } from '../../testing/index.ts'
import { everywhere } from '../../testing/fixtures/both-eras.test.support.ts'
import { RawPeer } from '../../testing/fixtures/raw-peer.test.support.ts'
import { type Completer, prompt, Server, template } from '../index.ts'

describe('completion', () => {
  const many = Array.from({ length: 250 }, (_, i) => `value${i}`)
  const app = new Server({
    name: 'completing',
    prompts: {
      p: prompt({
        arguments: {
          a: { complete: (value) => many.filter((item) => item.startsWith(value)) },
          b: { complete: (value, { others }) => [`${value}-${others.a ?? 'none'}`] },
          c: { complete: () => ({ values: ['x'], total: 70, hasMore: true }) },
          plain: {},
        },
        run: () => '',
      }),
    },
    templates: {
      t: template({ uriTemplate: 't://{city}', read: () => '', complete: { city: (v) => [`${v}is`] } }),
    },
  })
  const ref = { type: 'ref/prompt', name: 'p' } as const

  it("the author's completer is called, its values are capped at 100 and hasMore says so", async () => {
    await everywhere(app, async ({ client }) => {
      const answer = await client.complete(ref, { name: 'a', value: 'value' })
      expect(answer).toEqual({ values: many.slice(0, 100), total: 250, hasMore: true })
      expect(await client.complete(ref, { name: 'a', value: 'value24' })).toEqual({
        values: ['value24', ...many.slice(240)],
        total: 11,
        hasMore: false,
      })
      expect(await client.complete(ref, { name: 'c', value: '' })).toEqual({
        values: ['x'],
        total: 70,
        hasMore: true,
      })
      expect(await client.complete(ref, { name: 'plain', value: '' })).toMatchObject({ values: [] })
      expect(
        await client.complete({ type: 'ref/resource', uri: 't://{city}' }, { name: 'city', value: 'Par' }),
      ).toMatchObject({ values: ['Paris'] })
    })
  })

  it('arguments that are chosen already reach the completer', async () => {
    await eras(app, async ({ client }) => {
      const answer = await client.complete(ref, { name: 'b', value: 'v' }, { context: { a: 'one' } })
      expect(answer.values).toEqual(['v-one'])
    })
  })

  it.each([
    [{}, -32602],
    [{ ref, argument: { name: 'a' } }, -32602],
    [{ ref: { type: 'ref/tool' }, argument: { name: 'a', value: '' } }, -32602],
    [{ ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'a', value: '' } }, -32602],
    [{ ref: { type: 'ref/prompt', name: 'constructor' }, argument: { name: 'a', value: '' } }, -32602],
  ])('%j → %i', async (params, code) => {
    const peer = new RawPeer(app)
    expect(await peer.request('completion/complete', params)).toMatchObject({ error: { code } })
    expect(await peer.modern('completion/complete', params)).toMatchObject({ error: { code } })
  })

  it.each<[string, () => unknown, RegExp]>([
    ['nothing', () => undefined, /The completion of "a" for "p" returned neither texts nor \{ values \}/],
    ['numbers', () => [1], /neither texts/],
    ['values that are no list', () => ({ values: 'x' }), /neither texts/],
    ['a failure', () => Promise.reject(new Error('no list')), /no list/],
  ])('%s is told to the author, with the name of the prompt', async (_, complete, message) => {
    const reports: [unknown, unknown][] = []
    const odd = new Server({
      name: 's',
      prompts: { p: prompt({ arguments: { a: { complete: complete as never } }, run: () => '' }) },
      configuration: { exceptionReporter: (...report) => reports.push(report) },
    })
    await eras(odd, async ({ client }) => {
      reports.length = 0
      const asked = client.complete(ref, { name: 'a', value: '' })
      await expect(asked).rejects.toMatchObject({ code: -32603, message: 'Internal error' })
      expect(reports).toMatchObject([[{ message: expect.stringMatching(message) }, { promptName: 'p' }]])
    })
  })

  it('cannot ask its caller anything, in any era', async () => {
    const reports: string[] = []
    const complete: Completer = async (_value, ctx) => [String(await ctx.confirm('Sure?'))]
    const asking = new Server({
      name: 's',
      templates: { t: template({ uriTemplate: 't://{x}', read: () => '', complete: { x: complete } }) },
      configuration: {
        exceptionReporter: (thrown, { resourceUri }) => reports.push(`${resourceUri}: ${String(thrown)}`),
      },
    })
    await eras(asking, async ({ client }) => {
      reports.length = 0
      const asked = client.complete({ type: 'ref/resource', uri: 't://{x}' }, { name: 'x', value: '' })
      await expect(asked).rejects.toMatchObject({ code: -32603 })
      expect(reports).toEqual([expect.stringMatching(/^t:\/\/\{x\}: .*A completion cannot ask/)])
    })
  })
})
