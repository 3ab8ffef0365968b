import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { eras } from '../../testing/index.ts'
import { officialProblems } from '../../testing/fixtures/official-schemas.test.node.ts'
import { quiet, RawPeer, until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { Declined, inputRequired, McpError, prompt, resource, Server, text, tool } from '../index.ts'

const region = z.object({ region: z.enum(['eu', 'us']) })
const newer = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

describe('questions in the middle of a call', () => {
  it('one handler asks forms, choices, pages, the model and the roots in both eras', async () => {
    const app = new Server({
      name: 's',
      tools: {
        all: tool({
          run: async (_args, ctx) => {
            const { region: where } = await ctx.elicit('Where?', region)
            const sure = await ctx.confirm('Sure?')
            const colour = await ctx.choose('Colour?', ['red', 'blue'])
            await ctx.openUrl('Sign in', 'https://example.com/sign-in')
            const said = await ctx.sample({
              messages: [{ role: 'user', content: { type: 'text', text: 'Capital?' } }],
              maxTokens: 5,
            })
            const roots = await ctx.roots()
            return JSON.stringify({ where, sure, colour, said: said.content, roots })
          },
        }),
      },
    })
    await eras(app, async ({ client, answers, era }) => {
      answers.accept({ region: 'eu' }, 'Where').accept({}, 'Sure').accept({ choice: 'blue' }, 'Colour')
      answers.accept(undefined, 'Sign in').sample('Paris').roots('file:///home')
      expect(JSON.parse((await client.call('all')).text())).toEqual({
        where: 'eu',
        sure: true,
        colour: 'blue',
        said: { type: 'text', text: 'Paris' },
        roots: [{ uri: 'file:///home' }],
      })
      expect(answers.asked.map(({ message }) => message)).toEqual([
        'Where?',
        'Sure?',
        'Colour?',
        'Sign in',
        'Capital?',
        'roots/list',
      ])
      void era
    })
  })

  it('prompts and resources ask as well', async () => {
    const app = new Server({
      name: 's',
      prompts: {
        p: prompt({ run: async (_args, ctx) => `To ${(await ctx.elicit('Where?', region)).region}` }),
      },
      resources: {
        r: resource({
          uri: 'r://1',
          read: async (_uri, ctx) => `In ${(await ctx.elicit('Where?', region)).region}`,
        }),
      },
    })
    await eras(
      app,
      async ({ client, answers }) => {
        answers.accept({ region: 'eu' }).accept({ region: 'us' })
        expect((await client.getPrompt('p')).messages[0]!.content).toMatchObject({ text: 'To eu' })
        expect((await client.readResource('r://1')).contents[0]).toMatchObject({ text: 'In us' })
      },
      { revisions: newer },
    )
  })

  it('a declined question is a clean result, or what the handler makes of it', async () => {
    const app = new Server({
      name: 's',
      tools: {
        plain: tool({ run: async (_args, ctx) => (await ctx.elicit('Where?', region)).region }),
        caught: tool({
          run: async (_args, ctx) => {
            try {
              return (await ctx.elicit('Where?', region)).region
            } catch (error) {
              return error instanceof Declined ? `caught ${error.action}` : 'other'
            }
          },
        }),
        union: tool({ run: async (_args, ctx) => (await ctx.elicit.result('Where?', region)).action }),
      },
    })
    await eras(app, async ({ client, answers }) => {
      answers.decline().cancel().decline()
      const plain = await client.call('plain')
      expect([plain.isError, plain.text()]).toEqual([true, 'The user declined: Where?'])
      expect((await client.call('caught')).text()).toBe('caught cancel')
      expect((await client.call('union')).text()).toBe('decline')
    })
  })

  it.each([
    { action: 'accept', content: { region: 'mars' } },
    { action: 'accept' },
    { action: 'perhaps' },
    { action: 7 },
    {},
  ])('the answer %j does not reach the handler', async (answer) => {
    const app = new Server({
      name: 's',
      tools: { t: tool({ run: async (_args, ctx) => (await ctx.elicit('Where?', region)).region }) },
    })
    const peer = new RawPeer(app)
    await peer.handshake('2025-11-25', { elicitation: {} })
    const id = peer.start('tools/call', { name: 't' })
    const question = await until(() => peer.heardOf('elicitation/create')[0])
    peer.send({ jsonrpc: '2.0', id: question.id, result: answer })
    expect(await peer.answerTo(id)).toMatchObject({ result: { isError: true } })
    const modern = { name: 't', inputResponses: { key: answer } }
    expect(await peer.modern('tools/call', modern, { elicitation: {} })).toHaveProperty('result')
  })

  it('questions asked together travel in one round; steps run once; keys are kept', async () => {
    const done: string[] = []
    const app = new Server({
      name: 's',
      tools: {
        t: tool({
          run: async (_args, ctx) => {
            const before = await ctx.step('count', () => done.push('step'))
            const [a, b] = await Promise.all([
              ctx.elicit('A?', region, { key: 'first' }),
              ctx.elicit('B?', region, { key: '__proto__' }),
            ])
            const again = await ctx.step('count', () => done.push('again'))
            const third = await ctx.confirm('C?')
            return JSON.stringify([before, a.region, b.region, again, third])
          },
        }),
      },
    })
    const peer = new RawPeer(app)
    const ask = (params: object) => peer.modern('tools/call', { name: 't', ...params }, { elicitation: {} })
    const first = (await ask({})) as { result: JsonObject }
    expect(first.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    expect(Object.keys(first.result.inputRequests as object)).toEqual(['first', '__proto__'])
    expect(officialProblems('2026-07-28', first, 'tools/call')).toEqual([])
    const second = (await ask({
      requestState: first.result.requestState,
      inputResponses: JSON.parse(
        '{"first":{"action":"accept","content":{"region":"eu"}},"__proto__":{"action":"accept","content":{"region":"us"}},"constructor":{"action":"decline"}}',
      ),
    })) as { result: JsonObject }
    const [key] = Object.keys(second.result.inputRequests as object)
    const third = await ask({
      requestState: second.result.requestState,
      inputResponses: { [key!]: { action: 'accept', content: {} } },
    })
    expect(third).toMatchObject({ result: { content: [{ text: '[1,"eu","us",2,true]' }] } })
    expect(done).toEqual(['step', 'again'])
  })

  it('a partial answer is asked for the rest again', async () => {
    const app = new Server({
      name: 's',
      tools: {
        t: tool({
          run: async (_args, ctx) => {
            const [a, b] = await Promise.all([
              ctx.elicit('A?', region, { key: 'a' }),
              ctx.elicit('B?', region, { key: 'b' }),
            ])
            return `${a.region} ${b.region}`
          },
        }),
      },
    })
    const peer = new RawPeer(app)
    const ask = (params: object) => peer.modern('tools/call', { name: 't', ...params }, { elicitation: {} })
    const answer = (value: string) => ({ action: 'accept', content: { region: value } })
    const first = (await ask({})) as { result: JsonObject }
    const second = (await ask({
      requestState: first.result.requestState,
      inputResponses: { a: answer('eu') },
    })) as { result: JsonObject }
    expect(Object.keys(second.result.inputRequests as object)).toEqual(['b'])
    expect(
      await ask({ requestState: second.result.requestState, inputResponses: { b: answer('us') } }),
    ).toMatchObject({ result: { content: [{ text: 'eu us' }] } })
  })

  it('state belongs to its caller, its request and its time', async () => {
    const app = new Server({
      name: 's',
      tools: {
        t: tool({ run: async (_args, ctx) => String(await ctx.confirm('Sure?')) }),
        other: tool({ run: async (_args, ctx) => String(await ctx.confirm('Sure?')) }),
      },
    })
    const auth = (subject: string) => ({
      auth: { principal: { kind: 'person' as const, subject }, scopes: [], claims: {} },
    })
    const ada = new RawPeer(app, auth('ada'))
    const bob = new RawPeer(app, auth('bob'))
    const ask = (peer: RawPeer, params: object) => peer.modern('tools/call', params, { elicitation: {} })
    const { result } = (await ask(ada, { name: 't', arguments: { a: 1, b: 2 } })) as { result: JsonObject }
    const { requestState } = result
    const refused = { error: { code: -32602, message: expect.stringContaining('requestState') } }
    expect(await ask(bob, { name: 't', arguments: { a: 1, b: 2 }, requestState })).toMatchObject(refused)
    expect(await ask(ada, { name: 'other', arguments: { a: 1, b: 2 }, requestState })).toMatchObject(refused)
    expect(await ask(ada, { name: 't', arguments: { a: 2, b: 2 }, requestState })).toMatchObject(refused)
    for (const bad of [
      '',
      'x',
      7,
      null,
      String(requestState).replace(/.(?=.{20}$)/, (one) => (one === 'A' ? 'B' : 'A')),
      'ticket.none',
      '__proto__',
    ]) {
      expect(await ask(ada, { name: 't', arguments: { a: 1, b: 2 }, requestState: bad })).toMatchObject(
        refused,
      )
    }
    // The order of members is not part of the arguments.
    expect(await ask(ada, { name: 't', arguments: { b: 2, a: 1 }, requestState })).toMatchObject({
      result: { resultType: 'input_required' },
    })
    expect(await ask(ada, { name: 't', inputResponses: [] })).toMatchObject({ error: { code: -32602 } })
  })

  it('state that is too old is refused', async () => {
    const app = new Server({
      name: 's',
      requestStateTtl: 1,
      tools: { t: tool({ run: async (_args, ctx) => String(await ctx.confirm('Sure?')) }) },
    })
    const peer = new RawPeer(app)
    const { result } = (await peer.modern('tools/call', { name: 't' }, { elicitation: {} })) as {
      result: JsonObject
    }
    await quiet(10)
    const params = { name: 't', requestState: result.requestState }
    expect(await peer.modern('tools/call', params, { elicitation: {} })).toMatchObject({
      error: { code: -32602, message: 'Invalid requestState: it has expired' },
    })
  })

  it('large state stays with the store, and another server with the same secret can go on', async () => {
    const make = (store?: Server['store']): Server =>
      new Server({
        name: 's',
        secret: 'shared by all the replicas',
        ...(store && { store }),
        tools: {
          t: tool({
            input: z.object({ size: z.number() }),
            run: async ({ size }, ctx) => {
              const data = await ctx.step('data', () => 'x'.repeat(size))
              return `${data.length} ${await ctx.confirm('Sure?')}`
            },
          }),
        },
      }) as Server
    for (const size of [10, 100_000]) {
      const first = make()
      const second = make(first.store)
      const params = { name: 't', arguments: { size } }
      const { result } = (await new RawPeer(first).modern('tools/call', params, { elicitation: {} })) as {
        result: JsonObject
      }
      expect(String(result.requestState).length).toBeLessThan(20_000)
      const [key] = Object.keys(result.inputRequests as object)
      const answer = await new RawPeer(second).modern(
        'tools/call',
        { ...params, requestState: result.requestState, inputResponses: { [key!]: { action: 'accept' } } },
        { elicitation: {} },
      )
      expect(answer).toMatchObject({ result: { content: [{ text: `${size} true` }] } })
    }
  })

  it('a suspended handler cannot swallow its suspension, and lets go of what it holds', async () => {
    const events: string[] = []
    const app = new Server({
      name: 's',
      tools: {
        t: tool({
          run: async (_args, ctx) => {
            ctx.onSuspend(() => events.push('released'))
            ctx.signal.addEventListener('abort', () => events.push('aborted'))
            try {
              return String(await ctx.confirm('Sure?'))
            } catch {
              events.push('caught')
              return 'swallowed'
            } finally {
              events.push('finally')
            }
          },
        }),
      },
    })
    const answer = await new RawPeer(app).modern('tools/call', { name: 't' }, { elicitation: {} })
    expect(answer).toMatchObject({ result: { resultType: 'input_required' } })
    expect(events).toEqual(['released', 'aborted'])
  })

  it('a client without the capability: an error to catch, and −32021 on modern where nothing catches it', async () => {
    const app = new Server({
      name: 's',
      tools: {
        t: tool({
          run: async (_args, ctx) => {
            try {
              return String(await ctx.confirm('Sure?'))
            } catch (error) {
              if (error instanceof McpError && error.code === 'missing_capability')
                return text('without asking')
              throw error
            }
          },
        }),
        bare: tool({ run: async (_args, ctx) => String(await ctx.confirm('Sure?')) }),
      },
    })
    const peer = new RawPeer(app)
    const caught = { result: { content: [{ text: 'without asking' }] } }
    expect(await peer.modern('tools/call', { name: 't' })).toMatchObject(caught)
    const modern = await peer.modern('tools/call', { name: 'bare' })
    expect(modern).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
    })
    expect(officialProblems('2026-07-28', modern)).toEqual([])
    await peer.handshake('2025-11-25')
    expect(await peer.request('tools/call', { name: 't' })).toMatchObject(caught)
  })

  it('rounds by hand work in both eras', async () => {
    const app = new Server({
      name: 's',
      tools: {
        t: tool({
          run: (_args, ctx) => {
            const answer = ctx.inputResponses.name as { content?: { name?: string } } | undefined
            if (answer) return `${answer.content?.name} ${JSON.stringify(ctx.roundState)}`
            const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
            return inputRequired(
              { name: { method: 'elicitation/create', params: { message: 'Name?', requestedSchema } } },
              { round: 1 },
            )
          },
        }),
      },
    })
    await eras(app, async ({ client, answers }) => {
      answers.accept({ name: 'Ada' })
      expect((await client.call('t')).text()).toBe('Ada {"round":1}')
    })
  })
})
