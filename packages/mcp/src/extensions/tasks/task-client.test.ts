import { describe, expect, it } from 'vitest'
import { Client, type ClientOptions } from '../../client/index.ts'
import { type Connector, MAX_ROUNDS, type Outcome, type Wire } from '../../exchange/index.ts'
import { McpError, type JsonObject } from '../../jsonrpc/index.ts'
import type { ElicitResult } from '../../protocol/index.ts'
import { Server, tool } from '../../server/index.ts'
import { FakeClock } from '../../testing/fake-clock.ts'
import { expectObjections } from '../../testing/fixtures/objections.test.support.ts'
import { memory } from '../../transport/memory.ts'
import { becomeTask, createTaskClient, tasks, type TaskClientOptions } from './index.ts'
import { overHttp, overSocket } from './serve-tasks.test.node.ts'
import { elicit, gate, NAME, unhappyTools } from './tasks.test.support.ts'

function createApp() {
  const { tools, aborted } = unhappyTools()
  const app = new Server({
    name: 'studio',
    tools: {
      ...tools,
      render: tool({ task: 'optional', run: async () => 'rendered' }),
      ask: tool({
        task: 'optional',
        run: async (_, ctx) => {
          const { name } = await ctx.elicit('Name?', NAME)
          const sure = await ctx.confirm(`Sure, ${name}?`)
          return `${name} ${sure}`
        },
      }),
      ask_first: tool({
        task: 'manual',
        run: async (_, ctx) => {
          const { name } = await ctx.elicit('Name?', NAME)
          becomeTask(ctx)
          const sure = await ctx.confirm(`Sure, ${name}?`)
          return `${name} ${sure}`
        },
      }),
      structured: tool({
        task: 'optional',
        output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        run: async () => ({ n: 7 }),
      }),
      steps: tool({
        task: 'optional',
        run: async (_, ctx) => {
          for (const step of [1, 2]) {
            await ctx.progress(step, 2, `step ${step}`)
            await ctx.confirm('Go on?')
          }
          return 'stepped'
        },
      }),
      quick: tool({ task: 'optional', run: () => 'at once' }),
    },
  })
  const jobs = tasks(app, { pollInterval: 10 })
  return { app, jobs, aborted }
}

function open(connector: Connector, options: ClientOptions & TaskClientOptions = {}) {
  const { notifications = true, ...rest } = options
  const client = new Client({ connector, elicit, ...rest })
  return { client, runs: createTaskClient(client, { notifications }) }
}

/** What the client sent, by method. */
function counted(app: Server): { connector: Connector; sent: string[] } {
  const sent: string[] = []
  const onTraffic = (direction: string, text: string): void => {
    const { method } = JSON.parse(text)
    if (direction === 'to-server' && method) sent.push(method)
  }
  return { connector: memory(app, { onTraffic }), sent }
}

describe.each([
  ['modern', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('awaited transparently, %s', (_era, protocolVersion) => {
  it('a call of a task gives its result, and its questions go to the handlers', async () => {
    const { client } = open(memory(createApp().app), { protocolVersion })
    expect((await client.call('render')).text()).toBe('rendered')
    expect((await client.call('ask')).text()).toBe('Ann true')
    expect((await client.call('ask_first')).text()).toBe('Ann true')
    await client.listTools().all()
    expect((await client.call('structured')).json()).toEqual({ n: 7 })
    expect((await client.call('tool_error')).isError).toBe(true)
    await expect(client.call('broken')).rejects.toMatchObject({ code: -32000, message: 'no such thing' })
    await client.close()
  })

  it.each(['optional', 'manual'] as const)(
    'a task that never stops asking (%s) ends at the limit of rounds, and says so',
    async (task) => {
      let asked = 0
      const endless = tool({
        task,
        run: async (_, ctx) => {
          becomeTask(ctx)
          for (let round = 0; ; round++) await ctx.confirm(`Question ${round}`)
        },
      })
      const app = new Server({ name: 's', tools: { endless } })
      tasks(app, { pollInterval: 10 })
      const { client } = open(memory(app), {
        protocolVersion,
        elicit: () => {
          asked++
          return { action: 'accept' }
        },
      })
      await using _ = client
      const result = await client.call('endless')
      expect(result.isError).toBe(true)
      expect(result.text()).toMatch(`${MAX_ROUNDS} rounds`)
      expect(asked).toBe(MAX_ROUNDS)
    },
  )

  it('a call as events has the questions of its task among them', async () => {
    const { client } = open(memory(createApp().app), { protocolVersion })
    const seen: string[] = []
    for await (const event of client.stream('ask')) {
      seen.push(event.type)
      if (event.type === 'question' && event.params?.message === 'Name?') {
        event.answer({ action: 'accept', content: { name: 'Bob' } })
      }
      if (event.type === 'result') expect(event.result.text()).toBe('Bob true')
    }
    expect(seen).toEqual(['question', 'question', 'result'])
    await client.close()
  })
})

describe.each([
  ['modern', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('the time limits of a call that became a task, %s', (_era, protocolVersion) => {
  const limits = [
    ['in all', { maxTotalTimeout: 60 }],
    ['without news', { timeout: 60 }],
  ] as const

  it.each(limits)('end it %s', async (_kind, limit) => {
    const { app, aborted } = createApp()
    const plain = open(memory(app), { protocolVersion })
    await expect(plain.client.call('forever', {}, limit)).rejects.toMatchObject({
      code: 'timeout',
      details: { method: 'tools/call', timeout: 60 },
    })
    await expect.poll(aborted).toBe(1)
    const run = await plain.runs.start('forever')
    await expect(run.result(limit)).rejects.toMatchObject({ code: 'timeout' })
    await run.cancel()
    await plain.client.close()
  })

  it('may be those of the client', async () => {
    const { client } = open(memory(createApp().app), { protocolVersion, maxTotalTimeout: 60 })
    await expect(client.call('forever')).rejects.toMatchObject({ code: 'timeout' })
    await client.close()
  })

  it('a task that tells news is not idle, and a person may think', async () => {
    using clock = new FakeClock()
    const { app } = createApp()
    tasks(app, { pollInterval: '2s' })
    const gates = [gate(), gate(), gate()]
    let step = 0
    app.tool('lively', {
      task: 'optional',
      run: async (_, ctx) => {
        for (const { opened } of gates) {
          await opened
          await ctx.progress(++step, 3, `step ${step}`)
        }
        await ctx.confirm('Go on?')
        return 'lived'
      },
    })
    const thought = gate<ElicitResult>()
    let asked = false
    const think = () => {
      asked = true
      return thought.opened
    }
    const { client } = open(memory(app), { protocolVersion, elicit: think })
    const calling = client.call('lively', {}, { timeout: '20s' })
    for (const { open: release } of gates) {
      await clock.advance('12s')
      release()
    }
    let text: string | undefined
    calling.then(
      (result) => {
        text = result.text()
      },
      (thrown) => {
        text = String(thrown)
      },
    )
    while (!asked && text === undefined) await clock.advance('2s')
    await clock.advance('30s')
    thought.open({ action: 'accept' })
    while (text === undefined) await clock.advance('2s')
    expect(text).toBe('lived')
    await client.close()
  })

  it('closing the client ends the wait', async () => {
    const { app, jobs } = createApp()
    const { client } = open(memory(app), { protocolVersion })
    const calling = client.call('forever')
    await expect.poll(() => jobs.running).toBe(1)
    await Promise.all([expect(calling).rejects.toMatchObject({ code: 'closed' }), client.close()])
  })
})

describe('awaited transparently', () => {
  it('over HTTP, by polling and by notifications', async () => {
    const connector = await overHttp(createApp().app)
    for (const notifications of [false, true]) {
      const { client } = open(connector, { notifications })
      expect((await client.call('ask')).text()).toBe('Ann true')
      await client.close()
    }
  })

  it('over the framing of stdio', async () => {
    const { client } = open(await overSocket(createApp().app))
    expect((await client.call('ask')).text()).toBe('Ann true')
    expect((await client.call('ask_first')).text()).toBe('Ann true')
    await client.close()
  })

  it('declares the extension with calls and task methods, and with nothing else', async () => {
    const texts: JsonObject[] = []
    const { app } = createApp()
    const onTraffic = (direction: string, text: string): void => {
      if (direction === 'to-server') texts.push(JSON.parse(text))
    }
    const { client } = open(memory(app, { onTraffic }))
    await client.listTools().all()
    await client.call('render')
    const declaring = texts
      .filter((message) => JSON.stringify(message).includes('io.modelcontextprotocol/tasks'))
      .map(({ method }) => method)
    expect(new Set(declaring)).toEqual(new Set(['tools/call', 'tasks/get']))
    await client.close()
  })

  it('asks each question once, however often the task is looked at', async () => {
    const { connector, sent } = counted(createApp().app)
    const { opened, open: release } = gate()
    let questions = 0
    const slowly = async (params: { message: string }) => {
      questions++
      await opened
      return elicit(params)
    }
    const { client } = open(connector, { elicit: slowly, notifications: false })
    const calling = client.call('ask')
    await expect.poll(() => sent.filter((method) => method === 'tasks/get').length).toBeGreaterThan(4)
    expect(questions).toBe(1)
    release()
    expect((await calling).text()).toBe('Ann true')
    expect(sent.filter((method) => method === 'tasks/update')).toHaveLength(2)
    await client.close()
  })

  it('needs few polls where the server announces changes', async () => {
    const { app } = createApp()
    const { opened, open: release } = gate()
    app.tool('wait', { task: 'optional', run: () => opened.then(() => 'done') })
    tasks(app, { pollInterval: 500 })
    const { connector, sent } = counted(app)
    const { client } = open(connector)
    const calling = client.call('wait')
    await expect.poll(() => sent.includes('subscriptions/listen')).toBe(true)
    const polls = sent.filter((method) => method === 'tasks/get').length
    release()
    expect((await calling).text()).toBe('done')
    expect(sent.filter((method) => method === 'tasks/get')).toHaveLength(polls)
    await expect.poll(() => app.listeners).toBe(0)
    await client.close()
  })

  it('does not hold a stream on which the server announces nothing', async () => {
    const { app } = createApp()
    app.use((exchange, next) => {
      const { taskIds: _, ...notifications } = (exchange.params.notifications ?? {}) as JsonObject
      const isListen = exchange.method === 'subscriptions/listen'
      return isListen ? next({ ...exchange, params: { notifications } }) : next()
    })
    const { connector, sent } = counted(app)
    const { client } = open(connector)
    const abort = new AbortController()
    const calling = client.call('forever', {}, { signal: abort.signal })
    await expect.poll(() => sent.includes('subscriptions/listen')).toBe(true)
    await expect.poll(() => sent.includes('notifications/cancelled')).toBe(true)
    abort.abort()
    await expect(calling).rejects.toMatchObject({ code: 'cancelled' })
    await client.close()
  })

  it('tells what the task says about itself as progress', async () => {
    const { client } = open(memory(createApp().app))
    const said: unknown[] = []
    await client.call('steps', {}, { onProgress: ({ message }) => said.push(message) })
    expect(said).toEqual(['step 1', 'step 2'])
    await client.close()
  })

  it('cancels the task when the caller gives up or may wait no longer', async () => {
    const { app, aborted } = createApp()
    const { client } = open(memory(app), { maxTotalTimeout: 40 })
    const abort = new AbortController()
    const calling = client.call('forever', {}, { signal: abort.signal })
    setTimeout(() => abort.abort('enough'), 20)
    await expect(calling).rejects.toMatchObject({ code: 'cancelled', message: 'enough' })
    await expect.poll(aborted).toBe(1)
    await expect(client.call('forever')).rejects.toMatchObject({ code: 'timeout' })
    await expect.poll(aborted).toBe(2)
    await client.close()
  })

  it('fails, and cancels the task, when a question cannot be answered', async () => {
    const { app, jobs } = createApp()
    const { client } = open(memory(app), { elicit: () => Promise.reject(new Error('no user there')) })
    await expect(client.call('ask')).rejects.toThrow('no user there')
    await expect.poll(() => jobs.running).toBe(0)
    await client.close()
  })

  it('says so when the server cancelled the task', async () => {
    const { app, jobs } = createApp()
    const { client } = open(memory(app))
    const calling = client.call('forever')
    await expect.poll(() => jobs.running).toBe(1)
    jobs.close()
    await expect(calling).rejects.toMatchObject({ code: 'cancelled', message: 'The server is shutting down' })
    await client.close()
  })

  it('goes on after a break of the connection', async () => {
    const { app } = createApp()
    const failing = flaky(memory(app), 'tasks/get', 2)
    const { client } = open(failing, { notifications: false })
    expect((await client.call('render')).text()).toBe('rendered')
    await client.close()
  })
})

/** Loses the first so many requests of one method. */
function flaky(connector: Connector, method: string, times: number): Connector {
  let left = times
  return {
    ...connector,
    async open(options) {
      const wire = await connector.open(options)
      const request: Wire['request'] = async (message, requestOptions) => {
        if (message.method === method && left-- > 0) throw new McpError('network', 'connection reset')
        return wire.request(message, requestOptions)
      }
      return new Proxy(wire, {
        get: (target, name) => {
          if (name === 'request') return request
          const value = Reflect.get(target, name, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
        set: (target, name, value) => Reflect.set(target, name, value, target),
      })
    },
  }
}

describe('a handle', () => {
  it('is had at once, says how things stand, and waits when asked to', async () => {
    const { client, runs } = open(memory(createApp().app))
    const run = await runs.start('ask_first')
    expect(run.taskId).toBeTypeOf('string')
    expect(await run.status()).toMatchObject({ taskId: run.taskId })
    expect((await run.result()).text()).toBe('Ann true')
    expect((await run.status())?.status).toBe('completed')
    await client.close()
  })

  it('survives a restart as JSON', async () => {
    const { app } = createApp()
    const first = open(memory(app))
    const saved = JSON.stringify(await first.runs.start('ask'))
    await first.client.close()
    expect(JSON.parse(saved)).toEqual({ tool: 'ask', taskId: expect.any(String) })
    const second = open(memory(app))
    expect((await second.runs.resume(JSON.parse(saved)).result()).text()).toBe('Ann true')
    await second.client.close()
  })

  it('works alike where the server answers at once', async () => {
    const { client, runs } = open(memory(createApp().app))
    await client.listTools().all()
    const run = await runs.start('quick')
    expect([run.taskId, await run.status()]).toEqual([undefined, undefined])
    await run.cancel()
    const again = runs.resume(JSON.parse(JSON.stringify(run)))
    expect((await again.result()).text()).toBe('at once')
    await client.close()
  })

  it('leaves the task alone when its waiting is aborted, and cancels it when told to', async () => {
    const { app, jobs, aborted } = createApp()
    const { client, runs } = open(memory(app))
    const run = await runs.start('forever')
    const signal = AbortSignal.timeout(20)
    await expect(run.result({ signal })).rejects.toMatchObject({ code: 'cancelled' })
    expect([jobs.running, aborted()]).toEqual([1, 0])
    await run.cancel()
    await expect.poll(aborted).toBe(1)
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' })
    await client.close()
  })

  it('refuses what is none, and says when the task is unknown', async () => {
    const { client, runs } = open(memory(createApp().app))
    expect(() => runs.resume({} as never)).toThrow(McpError)
    await expect(runs.resume({ tool: 'ask' }).result()).rejects.toMatchObject({ code: 'invalid_config' })
    await expect(runs.resume({ tool: 'ask', taskId: 'x' }).result()).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })

  it('of two task clients belongs to one', async () => {
    const { client, runs } = open(memory(createApp().app))
    const others = createTaskClient(client)
    expect((await (await runs.start('ask')).result()).text()).toBe('Ann true')
    expect((await (await others.start('ask')).result()).text()).toBe('Ann true')
    expect((await client.call('ask')).text()).toBe('Ann true')
    await client.close()
  })

  it('is handed out by client.start as well', async () => {
    const { client, runs } = open(memory(createApp().app))
    const started = await client.start('render')
    if (started.type !== 'task') throw new Error(started.type)
    const run = runs.resume({ tool: 'render', taskId: String(started.task.taskId) })
    expect((await run.result()).text()).toBe('rendered')
    await client.close()
  })
})

describe('a server that misbehaves', () => {
  const createdAt = '2026-07-28T00:00:00Z'
  const handle = {
    taskId: 't',
    status: 'working',
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs: null,
    pollIntervalMs: 1,
  }

  function hostile(states: JsonObject[]) {
    const app = new Server({ name: 'hostile', tools: { call: tool({ run: () => 'never' }) } })
    let at = 0
    app.use(async (exchange, next): Promise<Outcome> => {
      if (exchange.method === 'tools/call') return { type: 'task', task: states[0] as JsonObject }
      if (exchange.method !== 'tasks/get') return next()
      at = Math.min(at + 1, states.length - 1)
      return { type: 'complete', result: states[at] as JsonObject }
    })
    return open(memory(app), { notifications: false, maxTotalTimeout: '5s' }).client
  }

  it.each([
    ['no task id', [{ ...handle, taskId: undefined }]],
    ['an unknown status', [{ ...handle, status: 'busy' }]],
    ['malformed questions', [handle, { ...handle, status: 'input_required', inputRequests: [1] }]],
    ['no result', [handle, { ...handle, status: 'completed' }]],
    ['no error', [handle, { ...handle, status: 'failed' }]],
  ])('is told apart: %s', async (_, states) => {
    expectObjections(/: tasks: /, 'has a server describe its task wrongly')
    const client = hostile(states as JsonObject[])
    await expect(client.call('call')).rejects.toMatchObject({ code: 'bad_response' })
    await client.close()
  })

  it('cannot keep a call beyond the lifetime it promised', async () => {
    const client = hostile([{ ...handle, ttlMs: 30, pollIntervalMs: 0 }])
    await expect(client.call('call')).rejects.toMatchObject({ code: 'timeout' })
    await client.close()
  })
})
