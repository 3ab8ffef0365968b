import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { QuestionError, Server, tool } from '../server/index.ts'
import { eras, expectTool, FakeClock, surfaceText } from './index.ts'

const add = tool({
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
})
const publish = tool({
  input: z.object({ id: z.string() }),
  run: async ({ id }, ctx) => {
    const { region } = await ctx.elicit('Where?', z.object({ region: z.string() }))
    return `https://${region}.example/${id}`
  },
})
const patient = tool({
  run: async (_args, ctx) => {
    try {
      return (await ctx.confirm('Sure?')) ? 'yes' : 'no'
    } catch (error) {
      if (error instanceof QuestionError && error.code === 'timeout') return 'nobody answered'
      throw error
    }
  },
})
const app = new Server({
  name: 's',
  version: '1.0.0',
  instructions: 'Add.',
  tools: { publish, add, patient },
})

const MINUTE = 60_000

describe('expectTool', () => {
  it('compares structured content, text and failures, in every era', async () => {
    await expectTool(app, 'add', { a: 2, b: 3 }).toReturn({ sum: 5 })
    await expectTool(app, 'add', { a: 2, b: 3 }).toReturn(/"sum": ?5/)
    await expectTool(app, 'add').toFail(/"a" is required/)
    const answered = expectTool(app, 'publish', { id: '7' }).answering((answers) =>
      answers.accept({ region: 'eu' }),
    )
    await answered.toReturn('https://eu.example/7')
  })

  it('fails with both sides, and says in which era', async () => {
    const wrong = expectTool(app, 'add', { a: 2, b: 3 }).toReturn({ sum: 6 })
    await expect(wrong).rejects.toMatchObject({
      message: '[2025-11-25] The tool add returned something else: {"sum":5}, not {"sum":6}',
      actual: { sum: 5 },
      expected: { sum: 6 },
    })
    await expect(expectTool(app, 'add', { a: 2, b: 3 }).toFail('no')).rejects.toThrow('did not fail')
    await expect(expectTool(app, 'add').toReturn({ sum: 1 })).rejects.toThrow('The tool add failed')
    await expect(expectTool(app, 'publish', { id: '7' }).toReturn('x')).rejects.toThrow('no answer scripted')
  })

  it('takes matchers of the test runner for what is never the same', async () => {
    const rows = tool({
      output: z.object({ at: z.string(), rows: z.array(z.object({ id: z.string(), n: z.number() })) }),
      run: () => ({ at: new Date().toISOString(), rows: [{ id: crypto.randomUUID(), n: 1 }] }),
    })
    const server = new Server({ name: 's', tools: { rows, add } })
    const row = { id: expect.any(String), n: 1 }
    await expectTool(server, 'rows').toReturn({ at: expect.stringMatching(/^20/), rows: [row] })
    await expectTool(server, 'rows').toReturn(expect.objectContaining({ rows: [row] }))
    for (const wrong of [
      [row, row],
      [],
      [{ id: expect.any(Number), n: 1 }],
      [{ ...row, more: 1 }],
      [{ n: 1 }],
    ])
      await expect(
        expectTool(server, 'rows').toReturn({ at: expect.anything(), rows: wrong as [] }),
      ).rejects.toThrow('something else')
    // The flag makes a pattern remember where it was.
    await expectTool(server, 'add', { a: 1, b: 1 }).toReturn(/2/g)
  })

  it('knows the names, arguments and results of tools', () => {
    // @ts-expect-error: there is no such tool
    const unknown = () => expectTool(app, 'nothing')
    // @ts-expect-error: the sum is a number
    const wrong = () => expectTool(app, 'add', { a: 1, b: 2 }).toReturn({ sum: 'three' })
    expect([unknown, wrong]).toHaveLength(2)
  })
})

describe('the clock of a test', () => {
  it('lets an answer come too late, without waiting', async () => {
    const began = performance.now()
    await eras(app, async ({ client, answers, era }) => {
      answers.after('11m').accept({})
      const result = client.call('patient')
      if (era === 'legacy') expect((await result).text()).toBe('nobody answered')
      else await expect(result).rejects.toThrow(/expired/)
    })
    expect(performance.now() - began).toBeLessThan(60_000)
  })

  it('lets an answer come late enough, and time pass', async () => {
    await eras(app, async ({ client, answers, clock }) => {
      answers.after('9m').accept({})
      expect((await client.call('patient')).text()).toBe('yes')
      const before = Date.now()
      await clock.advance('1d')
      expect(Date.now() - before).toBeGreaterThanOrEqual(86_400_000)
    })
  })

  it('fires timers in their order, intervals as often as they are due, and none that was stopped', async () => {
    const real = globalThis.setTimeout
    const clock = new FakeClock()
    const seen: string[] = []
    setTimeout(() => seen.push('20m'), 20 * MINUTE)
    setTimeout(() => setTimeout((what: string) => seen.push(what), 5 * MINUTE, '15m'), 10 * MINUTE)
    const stopped = setTimeout(() => seen.push('never'), MINUTE)
    const every = setInterval(() => seen.push('every'), 8 * MINUTE)
    const refreshed = setTimeout(() => seen.push('refreshed'), 12 * MINUTE)
    clearTimeout(stopped)
    await clock.advance('5m')
    refreshed.refresh()
    await clock.advance('15m')
    clearInterval(every)
    await clock.advance('3h')
    clock.restore()
    expect(seen).toEqual(['every', '15m', 'every', 'refreshed', '20m'])
    expect(globalThis.setTimeout).toBe(real)
  })
})

describe('surfaceText', () => {
  it('is the same for the same surface, in whatever order it was written', async () => {
    const text = await surfaceText(app)
    const other = new Server({
      name: 's',
      version: '2.0.0',
      instructions: 'Add.',
      tools: { patient, add, publish },
    })
    expect(await surfaceText(other)).toBe(text)
    const { tools, instructions } = JSON.parse(text)
    expect([instructions, tools.map(({ name }: { name: string }) => name)]).toEqual([
      'Add.',
      ['add', 'patient', 'publish'],
    ])
    const changed = new Server({
      name: 's',
      tools: { publish, add: tool({ ...add, description: 'Adds' }), patient },
    })
    expect(await surfaceText(changed)).not.toBe(text)
  })
})
