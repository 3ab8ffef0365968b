import { type } from 'arktype'
import { type Static, Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { Client } from '../../client/index.ts'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { memory } from '../../transport/memory.ts'
import {
  type AnyTool,
  type Context,
  prompt,
  Server,
  template,
  text,
  tool,
  ToolBase,
  type ToolDefinition,
  ToolResult,
} from '../index.ts'

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
    if (args.loud) return new ToolResult({ content: [text('Too loud')], isError: true })
    return { url: `https://example.com/${args.id}`, size: args.when.getTime() }
  },
})

class Shout extends ToolBase {
  override name = 'shout' as const
  override input = z.object({ what: z.string() })
  run({ what }: { what: string }): { loud: string } {
    return { loud: what.toUpperCase() }
  }
}

function createApp() {
  return new Server({
    name: 'typed',
    tools: {
      publish,
      wrapped: audited(publish),
      plain: tool({ run: () => 'x' }),
      place: {
        input: z.object({ a: z.string().transform(Number) }),
        output: z.object({ n: z.number() }),
        run: (args, ctx) => {
          expectTypeOf(args).toEqualTypeOf<{ a: number }>()
          expectTypeOf(ctx).toEqualTypeOf<Context>()
          return { n: args.a + 1 }
        },
      },
      loose: {
        input: v.object({ a: v.string() }),
        run: async (args) => {
          expectTypeOf(args).toEqualTypeOf<{ a: string }>()
          return { length: args.a.length }
        },
      },
      instance: new Shout(),
      late: { run: () => new Promise((resolve) => resolve('later')) },
    },
    prompts: {
      review: {
        arguments: { day: { required: true }, tone: { description: 'How' } },
        run: (args, ctx) => {
          expectTypeOf(args.day).toEqualTypeOf<string>()
          expectTypeOf(args.tone).toEqualTypeOf<string | undefined>()
          expectTypeOf(ctx).toEqualTypeOf<Context>()
          return args.day
        },
      },
      listed: {
        arguments: [{ name: 'day', required: true, complete: () => ['today'] }, { name: 'tone' }],
        run: (args) => {
          expectTypeOf(args.day).toEqualTypeOf<string>()
          expectTypeOf(args.tone).toEqualTypeOf<string | undefined>()
          return args.day
        },
      },
      completed: {
        arguments: {
          day: {
            required: true,
            complete: (typed, { others }) => {
              expectTypeOf(typed).toEqualTypeOf<string>()
              return [`${typed}${others.tone}`]
            },
          },
        },
        run: (args) => {
          expectTypeOf(args).toEqualTypeOf<Record<string, string>>()
          return args.day ?? ''
        },
      },
      checked: {
        input: z.object({ n: z.string().transform(Number) }),
        run: (args) => {
          expectTypeOf(args).toEqualTypeOf<{ n: number }>()
          return String(args.n)
        },
      },
    },
    templates: {
      note: {
        uriTemplate: 'notes://{id}/{+path}{?q,tags*}',
        read: (variables, ctx) => {
          expectTypeOf(variables.id).toEqualTypeOf<string>()
          expectTypeOf(variables.path).toEqualTypeOf<string>()
          expectTypeOf(variables.q).toEqualTypeOf<string | undefined>()
          expectTypeOf(variables.tags).toEqualTypeOf<string[] | undefined>()
          // @ts-expect-error the template has no such variable
          expect(variables.other).toBeUndefined()
          return ctx.uri
        },
      },
    },
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

  it('arguments of prompts and variables of templates have the names that are declared', () => {
    prompt({
      arguments: [{ name: 'who', required: true }, { name: 'how' }],
      run: (args) => {
        expectTypeOf(args.who).toEqualTypeOf<string>()
        expectTypeOf(args.how).toEqualTypeOf<string | undefined>()
        // @ts-expect-error there is no such argument
        return args.whom ?? ''
      },
    })
    template({
      uriTemplate: 'files:///{path*}',
      read: ({ path }) => path.join('/'),
      complete: { path: () => [] },
    })
    // @ts-expect-error there is no such variable
    template({ uriTemplate: 'files:///{path}', read: ({ path }) => path, complete: { pat: () => [] } })
  })

  it('the output schema ties the result', () => {
    const output = z.object({ n: z.number() })
    tool({ output, run: () => ({ n: 1 }) })
    tool({ output, run: () => new ToolResult({ structuredContent: { n: 1 } }) })
    tool({ output: { type: 'object' }, run: () => ({ n: 1 }) })
    // @ts-expect-error the output is not what the schema says
    tool({ output, run: () => ({ n: 'one' }) })
    // @ts-expect-error a member is missing
    tool({ output, run: async () => ({}) })
    // @ts-expect-error content is no output
    tool({ output, run: () => text('instead') })
    // @ts-expect-error text is no output
    tool({ output, run: async () => 'instead' })
    // @ts-expect-error nothing is no output
    tool({ output, run: () => undefined })
    // @ts-expect-error nothing is no output
    tool({ output, run: () => {} })
    // @ts-expect-error content is no object of a schema, whatever the schema says
    tool({ output: { type: 'object' }, run: () => text('instead') })
    // @ts-expect-error nor is text
    tool({ output: { type: 'object' }, run: async () => 'instead' })
    // @ts-expect-error nor is nothing
    tool({ output: { type: 'object' }, run: async () => undefined })
    const make = () => {
      // @ts-expect-error content is no output in place either
      new Server({ name: 'x', tools: { a: { output, run: () => text('instead') } } })
      // @ts-expect-error nor is text
      new Server({ name: 'x', tools: { a: { output, run: async () => 'instead' } } })
      // @ts-expect-error nor is nothing
      new Server({ name: 'x', tools: { a: { output, run: () => undefined } } })
      // @ts-expect-error nor at run time
      new Server({ name: 'x' }).tool('a', { output, run: () => text('instead') })
    }
    expectTypeOf(make).toBeFunction()
  })

  it('definitions are constrained where they are written', () => {
    const run = () => ''
    const make = () => {
      // @ts-expect-error a number is no set of tools
      new Server({ name: 'x', tools: 42 })
      // @ts-expect-error misspelt, and nothing to run
      new Server({ name: 'x', tools: { a: { rnu: run, descripton: 'x' } } })
      // @ts-expect-error misspelt
      new Server({ name: 'x', tools: { a: { run, descripton: 'x' } } })
      // @ts-expect-error the description is text
      new Server({ name: 'x', tools: { a: { run, description: 42 } } })
      // @ts-expect-error arguments have no such option, by name
      new Server({ name: 'x', prompts: { a: { run, arguments: { x: { title: 'X', requird: true } } } } })
      // @ts-expect-error nor in a list
      new Server({ name: 'x', prompts: { a: { run, arguments: [{ name: 'x', requird: true }] } } })
      // @ts-expect-error nor in a prompt of its own
      prompt({ run, arguments: { x: { title: 'X', requird: true } } })
      // @ts-expect-error a number is no set of prompts
      new Server({ name: 'x', prompts: 42 })
      // @ts-expect-error misspelt
      new Server({ name: 'x', prompts: { a: { run, descripton: 'x' } } })
      // @ts-expect-error a number is no message
      new Server({ name: 'x', prompts: { a: { run: () => 42 } } })
      // @ts-expect-error a number is no set of resources
      new Server({ name: 'x', resources: 42 })
      // @ts-expect-error misspelt
      new Server({ name: 'x', resources: { a: { uri: 'a:b', txt: 'x' } } })
      // @ts-expect-error a number is no set of templates
      new Server({ name: 'x', templates: 42 })
      // @ts-expect-error misspelt
      new Server({ name: 'x', templates: { a: { uriTemplate: 'a:{b}', raed: run } } })
      const app = new Server({ name: 'x' })
      // @ts-expect-error arguments have no such option
      app.prompt('a', { run, arguments: [{ name: 'x', requird: true }] })
      // @ts-expect-error misspelt
      app.tool('a', { run, descripton: 'x' })
      // @ts-expect-error misspelt
      app.prompt('a', { run, descripton: 'x' })
      // @ts-expect-error misspelt
      app.resource({ uri: 'a:b', txt: 'x' })
      // @ts-expect-error misspelt
      app.template({ uriTemplate: 'a:{b}', raed: run })
      // @ts-expect-error misspelt option of the server
      new Server({ name: 'x', instruction: 'x' })
    }
    expectTypeOf(make).toBeFunction()
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

  it('tools in place, of classes and without output are typed for clients as well', async () => {
    type App = ReturnType<typeof createApp>
    await using client = new Client<App>({ connector: memory(createApp()) })
    const placed = await client.tools.place({ a: '41' })
    expectTypeOf(placed).toEqualTypeOf<{ n: number }>()
    expect(placed).toEqual({ n: 42 })
    const loose = await client.tools.loose({ a: 'four' })
    expectTypeOf(loose).toEqualTypeOf<{ length: number }>()
    expect(loose).toEqual({ length: 4 })
    const shouted = await client.tools.instance({ what: 'hey' })
    expectTypeOf(shouted).toEqualTypeOf<{ loud: string }>()
    expect(shouted).toEqual({ loud: 'HEY' })
    const plain = await client.tools.plain()
    expectTypeOf(plain).toEqualTypeOf<string>()
    expect(plain).toBe('x')
    expect(await client.tools.late()).toBe('later')
    // @ts-expect-error the argument is text
    await expect(client.tools.place({ a: 41 })).rejects.toThrow()
  })

  it('tools of nothing but handlers with parameters are typed for clients as well', async () => {
    const app = new Server({
      name: 's',
      tools: {
        bare: { run: (_args, ctx) => ({ version: ctx.protocolVersion }) },
        hidden: { when: (caller) => caller.auth === undefined, run: (args, ctx) => `${args.x}${ctx.meta.y}` },
      },
    })
    await using client = new Client<typeof app>({ connector: memory(app) })
    const { version } = await client.tools.bare()
    expectTypeOf(version).toExtend<string>()
    expect(version).toBe('2026-07-28')
    const text = await client.tools.hidden({ x: 1 })
    expectTypeOf(text).toEqualTypeOf<string>()
    expect(text).toBe('1undefined')
    // @ts-expect-error there is no such tool
    expectTypeOf(client.tools.nothing)
    const misspelt = () =>
      // @ts-expect-error misspelt
      new Server({ name: 's', tools: { a: { wen: () => true, run: (_args, ctx) => ctx.protocolVersion } } })
    expectTypeOf(misspelt).toBeFunction()
  })

  it('prompts are typed for clients', async () => {
    type App = ReturnType<typeof createApp>
    await using client = new Client<App>({ connector: memory(createApp()) })
    const { messages } = await client.getPrompt('review', { day: 'Monday' })
    expect(messages).toMatchObject([{ content: { text: 'Monday' } }])
    expect(await client.getPrompt('checked', { n: '7' })).toBeDefined()
    expect(await client.getPrompt('listed', { day: 'Monday' })).toBeDefined()
    expect(await client.getPrompt('completed', { day: 'Monday' })).toBeDefined()
    // @ts-expect-error an argument is missing
    await expect(client.getPrompt('listed', {})).rejects.toThrow(/day/)
    await expect(client.getPrompt('completed', {})).rejects.toThrow(/day/)
    // @ts-expect-error an argument is missing
    await expect(client.getPrompt('review', { tone: 'dry' })).rejects.toThrow(/day/)
    // @ts-expect-error the arguments are missing
    await expect(client.getPrompt('review')).rejects.toThrow(/day/)
    // @ts-expect-error there is no such prompt
    await expect(client.getPrompt('nothing')).rejects.toThrow(/nothing/)
    const untyped = new Client()
    expectTypeOf(untyped.getPrompt).toBeCallableWith('anything', { goes: 'here' })
  })

  it('registering at run time widens the type, in a chain', async () => {
    const app = new Server({ name: 'chained' })
      .tool('add', {
        input: z.object({ a: z.number() }),
        output: z.object({ sum: z.number() }),
        run: ({ a }) => ({ sum: a + 1 }),
      })
      .tool('hello', { run: () => 'hello' })
      .resource({ uri: 'notes://1', text: 'a note' })
      .template({ uriTemplate: 'notes://{id}', read: ({ id }) => id })
      .prompt('greet', { arguments: { who: { required: true } }, run: ({ who }) => who })
    await using client = new Client<typeof app>({ connector: memory(app) })
    const { sum } = await client.tools.add({ a: 1 })
    expectTypeOf(sum).toEqualTypeOf<number>()
    expect(sum).toBe(2)
    const hello = await client.tools.hello()
    expectTypeOf(hello).toEqualTypeOf<string>()
    expect(hello).toBe('hello')
    // @ts-expect-error there is no such tool
    expectTypeOf(client.tools.nothing)
    expect((await client.getPrompt('greet', { who: 'Ada' })).messages).toHaveLength(1)
    // @ts-expect-error the argument is called who
    await expect(client.getPrompt('greet', { whom: 'Ada' })).rejects.toThrow()
    app.tool('hello').remove()
    await expect(client.tools.hello()).rejects.toThrow(/hello/)
    expect(() => app.tool('hello')).toThrow('There is no tool called "hello"')
  })

  it('lists of tools are typed by names that are literals, and open otherwise', async () => {
    const app = new Server({ name: 'listed', tools: [Shout, tool({ name: 'plain', run: () => 'x' })] })
    await using client = new Client<typeof app>({ connector: memory(app) })
    const shouted = await client.tools.shout({ what: 'hey' })
    expectTypeOf(shouted).toEqualTypeOf<{ loud: string }>()
    expect(shouted).toEqual({ loud: 'HEY' })
    const open = new Server({ name: 'open', tools: [tool({ name: 'plain', run: () => 'x' })] })
    await using other = new Client<typeof open>({ connector: memory(open) })
    expect(await other.tools.plain?.()).toBe('x')
  })

  it('tools in place have every option of tools', () => {
    // The constructor writes the options out: what is missing there would be misspelt for the compiler.
    const every: Required<Omit<AnyTool, 'input' | 'output' | 'run'>> = {
      name: 'a',
      title: 'A',
      description: 'Does a',
      icons: [],
      _meta: {},
      when: () => true,
      scopes: [],
      annotations: {},
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      task: 'optional',
    }
    const app = new Server({
      name: 'x',
      tools: {
        a: { ...every, input: z.object({}), output: z.object({ n: z.number() }), run: () => ({ n: 1 }) },
      },
    })
    expectTypeOf<(typeof app)['~tools']['a']['output']>().toEqualTypeOf<{ n: number }>()
  })

  it('values of schemas that are no objects are typed, also where they look like content', () => {
    const list = z.array(z.string())
    const app = new Server({
      name: 'x',
      tools: {
        list: { output: list, run: () => ['a'] },
        plain: { run: () => ['a'] },
        pair: { run: () => ({ input: 'a', output: 'b' }) },
      },
    })
    type Types = (typeof app)['~tools']
    expectTypeOf<Types['list']['output']>().toEqualTypeOf<string[]>()
    expectTypeOf<Types['plain']['output']>().toEqualTypeOf<string>()
    expectTypeOf<Types['pair']['output']>().toEqualTypeOf<{ input: string; output: string }>()
  })

  it('a server of known tools is a server', () => {
    const serve = (app: Server): Server => app
    expectTypeOf(serve(createApp())).toEqualTypeOf<Server>()
    expectTypeOf<JsonObject>().toEqualTypeOf<{ [key: string]: unknown }>()
  })
})
