import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { REVISIONS } from '../protocol/index.ts'
import { Server, tool } from '../server/index.ts'
import { officialProblems } from './fixtures/official-schemas.test.node.ts'
import { eras, memoryLines, runTranscript, surfaceOf } from './index.ts'

const sure = { type: 'object', properties: { n: { type: 'number' } } }

function watched(run: Parameters<typeof tool>[0]['run']): Server {
  return new Server({ name: 's', tools: { t: tool({ run }) } }) as Server
}

describe('eras', () => {
  it('runs a body on legacy, on modern and on modern with watched replay', async () => {
    const runs: string[] = []
    const app = watched(async (_args, ctx) => String(await ctx.confirm('Sure?')))
    await eras(app, async ({ client, answers, era, replay, traffic }) => {
      runs.push(`${era}${replay ? ' replay' : ''}`)
      answers.accept({})
      expect((await client.call('t')).text()).toBe('true')
      expect(traffic.length).toBeGreaterThan(2)
    })
    expect(runs).toEqual(['legacy', 'modern', 'modern replay'])
  })

  it('fails where the body fails, and says in which run', async () => {
    const app = watched(async (_args, ctx) => `${await ctx.confirm('Sure?')} ${ctx.protocolVersion}`)
    const body = eras(app, async ({ client, answers }) => {
      answers.accept({})
      expect((await client.call('t')).text()).toBe('true 2025-11-25')
    })
    await expect(body).rejects.toThrow(/^\[2026-07-28\]/)
  })

  it('fails when a question has no answer, or an answer no question', async () => {
    const app = watched(async (_args, ctx) => String(await ctx.confirm('Sure?')))
    await expect(eras(app, async ({ client }) => void (await client.call('t')))).rejects.toThrow(
      /No answer is scripted for.*Sure\?/,
    )
    await expect(eras(app, ({ answers }) => void answers.decline())).rejects.toThrow(/Nobody asked for/)
  })

  it('finds a handler that asks something else when it is run again', async () => {
    let runs = 0
    const app = watched(async (_args, ctx) => {
      runs++
      await ctx.elicit(`First of run ${runs}?`, sure, { key: 'first' })
      return String(await ctx.confirm('Second?'))
    })
    const body = eras(app, async ({ client, answers }) => {
      for (let i = 0; i < 2; i++) answers.accept({})
      await client.call('t')
    })
    await expect(body).rejects.toThrow(/watched replay.*First of run \d\?.* became .*First of run/s)
  })

  it('finds a handler that reports something else, or leaves a step out, when it is run again', async () => {
    for (const handler of [0, 1]) {
      let runs = 0
      const app = watched(async (_args, ctx) => {
        runs++
        if (handler === 0) await ctx.log('error', `run ${runs}`)
        else if (runs % 2 === 1) await ctx.step(`once`, () => 1)
        return String(await ctx.confirm('Sure?'))
      })
      const body = eras(
        app,
        async ({ client, answers, era }) => {
          if (era === 'legacy') runs = 1
          answers.accept({})
          await client.call('t')
        },
        { client: { logLevel: 'debug' } },
      )
      runs = 0
      await expect(body).rejects.toThrow(/did not do the same when it was run again/)
    }
  })

  it('finds something awaited outside ctx before a question, and accepts it in a step or after', async () => {
    const later = () => new Promise<number>((resolve) => setTimeout(() => resolve(1), 2))
    const script = async (app: Server): Promise<void> =>
      eras(app, async ({ client, answers }) => {
        answers.accept({})
        await client.call('t')
      })
    const outside = watched(async (_args, ctx) => {
      await later()
      return String(await ctx.confirm('Sure?'))
    })
    await expect(script(outside)).rejects.toThrow(/outside ctx was awaited before the question "Sure\?"/)
    const inside = watched(async (_args, ctx) => {
      await ctx.step('later', later)
      const answer = await ctx.confirm('Sure?')
      await later()
      return String(answer)
    })
    await script(inside)
  })

  it('finds a step whose result does not survive', async () => {
    const app = watched(async (_args, ctx) => {
      await ctx.step('date', () => new Date(0))
      return String(await ctx.confirm('Sure?'))
    })
    const body = eras(app, async ({ client, answers }) => {
      answers.accept({})
      await client.call('t')
    })
    await expect(body).rejects.toThrow(/does not survive JSON/)
  })

  it('tells the author in development as well', async () => {
    const kinds: string[] = []
    const app = new Server({
      name: 's',
      onReplayWarning: ({ kind, name, method }) => kinds.push(`${method} ${name} ${kind}`),
      tools: {
        t: tool({
          run: async (_args, ctx) => {
            await new Promise((resolve) => setTimeout(resolve, 2))
            return String(await ctx.confirm('Sure?'))
          },
        }),
      },
    })
    await eras(
      app,
      async ({ client, answers, era }) => {
        answers.accept({})
        await client.call('t')
        if (era === 'modern') expect(kinds).toEqual(['tools/call t await_outside'])
      },
      { tolerateReplayWarnings: true, revisions: ['2026-07-28'] },
    )
  })
})

describe('the surface', () => {
  it('lists names, descriptions and schemas with their price', async () => {
    const app = new Server({
      name: 's',
      instructions: 'Be nice.',
      tools: {
        echo: tool({ description: 'Says it back', input: z.object({ text: z.string() }), run: () => '' }),
      },
    })
    const surface = await surfaceOf(app)
    expect(surface.tools).toMatchObject([{ name: 'echo', definition: { description: 'Says it back' } }])
    const { tokens } = surface.tools[0]!
    expect(tokens).toBeGreaterThan(20)
    expect(surface.tokens).toBe(tokens + 2)
    expect(surface.prompts).toEqual([])
    expect(await surfaceOf(app)).toEqual(surface)
  })
})

describe('transcripts', () => {
  const app = new Server({
    name: 's',
    version: '1',
    tools: { ask: tool({ run: async (_args, ctx) => String(await ctx.confirm('Sure?')) }) },
  })
  const meta =
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}'
  const client = [
    '# Asks once.',
    '> not json',
    `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask",${meta}}}`,
    '',
    '# Goes on.',
    `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","requestState":"<requestState-1>","inputResponses":{},${meta}}}`,
    '',
  ].join('\n')

  it('are recorded, and replay as they were recorded', async () => {
    const recorded = await runTranscript(memoryLines(app), client, { record: true })
    expect(recorded.text).toContain('"requestState":"<requestState-1>"')
    expect(recorded.text).toContain('# Goes on.')
    expect(recorded.text).toContain('< {"jsonrpc":"2.0","id":null,"error":{"code":-32700')
    expect(recorded.text.split('\n').filter((line) => line.startsWith('< '))).toHaveLength(3)
    const replayed = await runTranscript(memoryLines(app), recorded.text)
    expect(replayed.differences).toEqual([])
    const again = await runTranscript(memoryLines(app), recorded.text, { record: true })
    expect(again.text).toBe(recorded.text)
  })

  it('show where a server says something else', async () => {
    const { text } = await runTranscript(memoryLines(app), client, { record: true })
    const changed = await runTranscript(memoryLines(app), text.replace('Sure?', 'Certain?'))
    expect(changed.differences).toHaveLength(1)
    expect(changed.differences[0]!.expected).toContain('Certain?')
    const lines = text.split('\n')
    const shorter = lines.filter((line) => !line.includes('-32700')).join('\n')
    expect((await runTranscript(memoryLines(app), shorter)).differences.length).toBeGreaterThan(0)
  })
})

describe('the transcripts of this repository', () => {
  const folder = new URL('../../../../tests/transcripts/', import.meta.url)

  it.each(REVISIONS)('say nothing at %s that its schema does not allow', (revision) => {
    const methods = new Map<unknown, string>()
    const problems: string[] = []
    for (const line of readFileSync(new URL(`${revision}.txt`, folder), 'utf8').split('\n')) {
      const match = /^([<>]) (.*)$/.exec(line)
      if (!match || match[2] === '{"jsonrpc":') continue
      const value = JSON.parse(match[2]!) as Record<string, unknown>
      for (const message of Array.isArray(value) ? value : [value]) {
        if (match[1] === '>' && message.method) methods.set(message.id, message.method)
        else if (match[1] === '<')
          problems.push(...officialProblems(revision, message, methods.get(message.id)))
      }
    }
    expect(problems).toEqual([])
    expect(methods.size).toBeGreaterThan(20)
  })
})
