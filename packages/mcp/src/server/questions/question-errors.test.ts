import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Client } from '../../client/index.ts'
import { MAX_ROUNDS } from '../../exchange/index.ts'
import { LATEST_LEGACY, LATEST_MODERN } from '../../protocol/index.ts'
import { RawPeer, until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { eras } from '../../testing/index.ts'
import { memory } from '../../transport/memory.ts'
import { type Context, inputRequired, prompt, QuestionError, Server, tool } from '../index.ts'

const form = z.object({ name: z.string().refine((name) => name !== 'x', 'must not be x') })
const askName = (ctx: Context) => ctx.elicit('Who?', form, { key: 'who' })

function appOf(run: (ctx: Context) => Promise<string>, options = {}) {
  return new Server({ name: 'asks', tools: { ask: tool({ run: (_, ctx) => run(ctx) }) }, ...options })
}

describe.each([LATEST_LEGACY, LATEST_MODERN])(
  'a question without a usable answer (%s)',
  (protocolVersion) => {
    const clientOf = (app: Server, handlers: ConstructorParameters<typeof Client>[0] = {}) =>
      new Client({ connector: memory(app), protocolVersion, ...handlers })
    const elicit = () => ({ action: 'accept' as const, content: { name: 'x' } })

    it('names the capability that the client lacks', async () => {
      await using client = clientOf(appOf(async (ctx) => (await askName(ctx)).name) as Server)
      const call = client.call('ask')
      if (protocolVersion === LATEST_MODERN) await expect(call).rejects.toMatchObject({ code: -32021 })
      else
        expect(await call).toMatchObject({
          isError: true,
          raw: { content: [{ text: 'The client does not support elicitation' }] },
        })
    })

    it.each<[string, string, (ctx: Context) => Promise<unknown>, ConstructorParameters<typeof Client>[0]]>([
      [
        'pages where it has forms',
        'elicitation.url',
        (ctx) => ctx.openUrl('Go', 'https://example.com'),
        { elicit: { form: elicit } },
      ],
      ['forms where it has pages', 'elicitation.form', askName, { elicit: { url: elicit } }],
      ['a model', 'sampling', (ctx) => ctx.sample({ messages: [], maxTokens: 1 }), {}],
      [
        'tools for its model',
        'sampling.tools',
        (ctx) => ctx.sample({ messages: [], maxTokens: 1, tools: [] }),
        { sample: () => ({}) as never },
      ],
      ['roots', 'roots', (ctx) => ctx.roots(), {}],
    ])('names %s', async (_, name, ask, handlers) => {
      await using client = clientOf(appOf(async (ctx) => String(await ask(ctx))) as Server, handlers)
      const said = await client.call('ask').then(
        (result) => result.text(),
        (error: Error) => error.message,
      )
      expect(said).toBe(`The client does not support ${name}`)
    })

    it('is one error that a handler may catch', async () => {
      const caught: unknown[] = []
      const app = appOf(async (ctx) => {
        try {
          return (await askName(ctx)).name
        } catch (error) {
          if (!(error instanceof QuestionError)) throw error
          caught.push(error.code)
          return 'nobody'
        }
      })
      await using silent = clientOf(app)
      expect((await silent.call('ask')).text()).toBe('nobody')
      await using wrong = clientOf(app, { elicit })
      expect((await wrong.call('ask')).text()).toBe('nobody')
      expect(caught).toEqual(['missing_capability', 'invalid_answer'])
    })

    it('names the field that does not fit', async () => {
      await using client = clientOf(appOf(async (ctx) => (await askName(ctx)).name) as Server, { elicit })
      const result = await client.call('ask')
      expect(result.isError).toBe(true)
      expect(result.text()).toMatch(/name.*must not be x/)
    })

    it('is refused inside a step', async () => {
      const reports: unknown[] = []
      const configuration = { exceptionReporter: (thrown: unknown) => reports.push(thrown) }
      for (const wait of [0, 1]) {
        const app = appOf(
          (ctx) =>
            ctx.step('all', async () => {
              if (wait) await new Promise((resolve) => setTimeout(resolve, wait))
              return (await askName(ctx)).name
            }),
          { configuration },
        )
        await using client = clientOf(app, {
          elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
        })
        expect((await client.call('ask')).isError).toBe(true)
      }
      expect(reports).toHaveLength(2)
      for (const thrown of reports) expect(String(thrown)).toMatch(/inside ctx\.step/)
    })

    it('is refused with its path when JSON cannot hold it', async () => {
      const reports: unknown[] = []
      const loop: Record<string, unknown> = {}
      loop.again = loop
      const sample = (ctx: Context) =>
        ctx.sample({
          messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
          maxTokens: 5,
          metadata: loop,
        })
      const app = new Server({
        name: 'asks',
        tools: { ask: { run: async (_, ctx) => (await sample(ctx)).model } },
        configuration: { exceptionReporter: (thrown) => reports.push(thrown) },
      })
      await using client = clientOf(app as Server, { sample: () => ({}) as never })
      expect((await client.call('ask')).isError).toBe(true)
      expect(String(reports)).toMatch(/sampling\/createMessage.metadata.again contains itself/)
    })

    it('is not refused beside a step', async () => {
      const app = appOf(async (ctx) => {
        const [, { name }] = await Promise.all([
          ctx.step('work', () => new Promise((resolve) => setTimeout(resolve, 20, 'done'))),
          askName(ctx),
        ])
        return name
      })
      await using client = clientOf(app, {
        elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      })
      expect((await client.call('ask')).text()).toBe('Ada')
    })

    it(`ends after ${MAX_ROUNDS} rounds, and says so`, async () => {
      let asked = 0
      const app = appOf(async (ctx) => {
        for (let round = 0; ; round++) await ctx.elicit(`Question ${round}`, form, { key: `k${round}` })
      })
      await using client = clientOf(app, {
        elicit: () => {
          asked++
          return { action: 'accept', content: { name: 'Ada' } }
        },
      })
      const result = await client.call('ask')
      expect(result.isError).toBe(true)
      expect(result.text()).toMatch(new RegExp(`${MAX_ROUNDS} rounds`))
      expect(asked).toBe(MAX_ROUNDS)
    })

    it('ends so too when the rounds are made by hand', async () => {
      const requestedSchema = { type: 'object', properties: {} }
      const q = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema } }
      const again = async () => inputRequired({ q }, 'more')
      const app = new Server({
        name: 'asks',
        tools: { ask: tool({ run: again }) },
        prompts: { ask: prompt({ run: again }) },
      }) as Server
      await using client = clientOf(app, { elicit: () => ({ action: 'accept', content: {} }) })
      const result = await client.call('ask')
      expect(result.isError).toBe(true)
      expect(result.text()).toMatch(new RegExp(`${MAX_ROUNDS} rounds`))
      await expect(client.getPrompt('ask')).rejects.toThrow(`${MAX_ROUNDS} rounds`)
    })
  },
)

describe.each([LATEST_LEGACY, LATEST_MODERN])('an answer of another client (%s)', (version) => {
  const CAPABILITIES = { sampling: {}, roots: {}, elicitation: { form: {}, url: {} } }
  const sample = async (ctx: Context) => {
    const { content } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
      maxTokens: 5,
    })
    return [content]
      .flat()
      .map((block) => (block.type === 'text' ? block.text.trim() : block.type))
      .join()
  }
  const roots = async (ctx: Context) => (await ctx.roots()).map(({ uri }) => uri.trim()).join()

  /** Calls as a client that answers every question with this, checked by nobody. */
  async function answered(run: (ctx: Context) => Promise<string>, answer: object): Promise<unknown> {
    const peer = new RawPeer(appOf(run) as Server)
    if (version === LATEST_LEGACY) {
      await peer.handshake(version, CAPABILITIES)
      const id = peer.start('tools/call', { name: 'ask' })
      const question = await until(() => peer.heard.find(({ method }) => method !== undefined))
      peer.send({ jsonrpc: '2.0', id: question.id, result: answer })
      return (await peer.answerTo(id)).result
    }
    const { result } = await peer.modern('tools/call', { name: 'ask' }, CAPABILITIES)
    const { requestState, inputRequests } = result as { requestState: string; inputRequests: object }
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]))
    const params = { name: 'ask', requestState, inputResponses }
    return (await peer.modern('tools/call', params, CAPABILITIES)).result
  }

  it.each<[string, (ctx: Context) => Promise<string>, object, RegExp]>([
    ['without a message', sample, {}, /Invalid answer: "content"/],
    ['with text for a message', sample, { content: 'Hello' }, /Invalid answer: "content"/],
    ['with a message that has no type', sample, { content: [{ text: 'Hello' }] }, /"content\[0\]"/],
    ['with a text block without text', sample, { content: { type: 'text' } }, /"content.text" must be/],
    ['without roots', roots, {}, /Invalid answer: "roots" must be/],
    ['with a root that has no uri', roots, { roots: [{ name: 'x' }] }, /"roots\[0\].uri" must be/],
    ['with a root that is null', roots, { roots: [null] }, /"roots\[0\].uri" must be/],
  ])('%s is a tool error that names the field', async (_, run, answer, message) => {
    expect(await answered(run, answer)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(message) }],
    })
  })

  it('that has all that handlers read is taken', async () => {
    const content = [
      { type: 'text', text: ' Hello ' },
      { type: 'tool_use', id: '1', name: 'x', input: {} },
    ]
    expect(await answered(sample, { role: 'assistant', content })).toMatchObject({
      content: [{ text: 'Hello,tool_use' }],
    })
    expect(await answered(roots, { roots: [{ uri: 'file:///a' }] })).toMatchObject({
      content: [{ text: 'file:///a' }],
    })
  })
})

describe('what a round keeps for the next', () => {
  const lost = { rows: new Map() }
  const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } })

  it.each<[string, Parameters<typeof tool>[0]['run'], RegExp]>([
    [
      'of a step',
      async (_, ctx) => {
        await ctx.step('read', () => lost)
        return (await askName(ctx)).name
      },
      /The next round cannot have ctx.step.read.rows: it is a Map/,
    ],
    ['of a round by hand', () => inputRequired({}, lost), /The next round cannot have ctx.roundState.rows/],
  ])('is named when JSON cannot hold it: what is %s', async (_, run, message) => {
    const reports: unknown[] = []
    const configuration = { exceptionReporter: (thrown: unknown) => reports.push(thrown) }
    const app = new Server({ name: 'asks', tools: { ask: tool({ run }) }, configuration }) as Server
    await using client = new Client({ connector: memory(app), protocolVersion: LATEST_MODERN, elicit })
    expect((await client.call('ask')).isError).toBe(true)
    expect(String(reports)).toMatch(message)
  })
})

describe('the older era', () => {
  const legacy = (app: Server, handlers: ConstructorParameters<typeof Client>[0]) =>
    new Client({ connector: memory(app), protocolVersion: LATEST_LEGACY, ...handlers })

  it('names the field when the client finds out itself', async () => {
    const app = appOf(async (ctx) => (await askName(ctx)).name) as Server
    await using client = legacy(app, { elicit: () => ({ action: 'accept', content: { name: 7 } }) })
    client.on('warning', () => {})
    expect((await client.call('ask')).text()).toMatch(/"name" must be string/)
  })

  it('tells the caller that nobody answered in time', async () => {
    const app = appOf(async (ctx) => (await askName(ctx)).name, { answerTimeout: 20 }) as Server
    await using client = legacy(app, { elicit: () => new Promise(() => {}) })
    const result = await client.call('ask')
    expect(result.isError).toBe(true)
    expect(result.text()).toMatch(/did not answer elicitation\/create/)
  })

  it('tells the caller that the handler of the client failed', async () => {
    const app = appOf(async (ctx) => (await askName(ctx)).name) as Server
    await using client = legacy(app, {
      elicit: () => {
        throw new Error('no window')
      },
    })
    client.on('warning', () => {})
    const result = await client.call('ask')
    expect(result.isError).toBe(true)
    expect(result.text()).toMatch(/The client refused elicitation\/create/)
  })
})

describe('eras', () => {
  it('shows what a handler threw in the test that fails', async () => {
    const app = appOf(async () => {
      throw new Error('the disk is full')
    })
    const test = eras(app, async ({ client }) => {
      expect((await client.call('ask')).isError).toBe(false)
    })
    await expect(test).rejects.toThrow(/ask threw: Error: the disk is full/)
  })
})
