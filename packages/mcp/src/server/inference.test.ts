import { type } from 'arktype'
import { type Static, Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { Client } from '../client/index.ts'
import { memory } from '../transport/memory.ts'
import { type Context, prompt, Server, text, tool, type ToolDefinition } from './index.ts'

// The assertions about types are made by the compiler: `tsc` fails where they do not hold.

/** What a company wraps around every tool: it has to compile for any arguments and results. */
function audited<In, Args, Out>(inner: ToolDefinition<In, Args, Out>): ToolDefinition<In, Args, Out> {
  return tool({
    ...inner,
    run: async (args: Args, ctx: Context) => {
      const result = await inner.run(args, ctx)
      return result
    },
  })
}

const publish = tool({
  input: z.object({
    id: z.string(),
    when: z.string().transform((day) => new Date(day)),
    loud: z.boolean().default(false),
  }),
  output: z.object({ url: z.string(), size: z.number() }),
  run: async (args, ctx) => {
    expectTypeOf(args).toEqualTypeOf<{ id: string; when: Date; loud: boolean }>()
    expectTypeOf(ctx).toEqualTypeOf<Context>()
    if (args.loud) return text('a message instead of the output')
    return { url: `https://example.com/${args.id}`, size: args.when.getTime() }
  },
})

function createApp() {
  return new Server({
    name: 'typed',
    tools: { publish, wrapped: audited(publish), plain: tool({ run: () => 'x' }) },
  })
}

describe('types', () => {
  it("arguments are the schema's output, for every library", () => {
    tool({
      input: v.object({ n: v.pipe(v.string(), v.transform(Number)) }),
      run: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number }>()
        return ''
      },
    })
    tool({
      input: type({ n: 'number', 's?': 'string' }),
      run: (args) => {
        expectTypeOf(args.n).toEqualTypeOf<number>()
        expectTypeOf(args.s).toEqualTypeOf<string | undefined>()
        return ''
      },
    })
    const typebox = Type.Object({ n: Type.Number() })
    const annotated = tool({ input: typebox, run: ({ n }: Static<typeof typebox>) => String(n + 1) })
    expectTypeOf(annotated.run).parameter(0).toEqualTypeOf<{ n: number }>()
    tool({
      input: { type: 'object', properties: { n: { type: 'number' } } },
      run: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ [key: string]: unknown }>()
        return ''
      },
    })
    prompt({
      input: z.object({ who: z.string() }),
      run: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ who: string }>()
        return ''
      },
    })
  })

  it('the output schema ties the result', () => {
    const output = z.object({ n: z.number() })
    tool({ output, run: () => ({ n: 1 }) })
    tool({ output, run: () => text('instead') })
    // @ts-expect-error the output is not what the schema says
    tool({ output, run: () => ({ n: 'one' }) })
    // @ts-expect-error a member is missing
    tool({ output, run: async () => ({}) })
  })

  it('questions are typed by their schemas', () => {
    tool({
      run: async (_args, ctx) => {
        const answer = await ctx.elicit('?', z.object({ region: z.enum(['eu', 'us']) }))
        expectTypeOf(answer).toEqualTypeOf<{ region: 'eu' | 'us' }>()
        const choice = await ctx.choose('?', ['a', 'b'])
        expectTypeOf(choice).toEqualTypeOf<'a' | 'b'>()
        const stepped = await ctx.step('s', async () => 7)
        expectTypeOf(stepped).toEqualTypeOf<number>()
        return ''
      },
    })
  })

  it('a typed client from typeof app, through wrappers as well', async () => {
    type App = ReturnType<typeof createApp>
    await using client = new Client<App>({ connector: memory(createApp()) })
    expectTypeOf(client.tools.publish).parameter(0).toMatchTypeOf<{ id: string; when: string }>()
    const result = await client.tools.publish({ id: '7', when: '1970-01-01' })
    expectTypeOf(result).toMatchTypeOf<{ url: string; size: number }>()
    expect(result).toEqual({ url: 'https://example.com/7', size: 0 })
    const wrapped = await client.tools.wrapped({ id: '8', when: '1970-01-01' })
    expectTypeOf(wrapped.url).toEqualTypeOf<string>()
    expect(wrapped.url).toBe('https://example.com/8')
    // @ts-expect-error the id is a string
    const bad = client.tools.publish({ id: 7, when: '1970-01-01' })
    await expect(bad).rejects.toThrow()
    // @ts-expect-error there is no such tool
    client.tools.nothing?.({}).catch(() => {})
  })
})
