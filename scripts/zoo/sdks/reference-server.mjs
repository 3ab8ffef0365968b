// The server that clients of others are tried with. Servers of others have the same tools, prompts and resources.
import { createServer } from 'node:http'
import { image, Server, text, ToolResult, tool } from '@gantry/mcp/server'
import { serveStdio, toNodeHandler } from '@gantry/mcp/server/node'

const object = (properties, type = 'object') => ({ type, properties, required: Object.keys(properties) })
const STRING = { type: 'string' }
const INTEGER = { type: 'integer' }
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
let cancelled = 0
let grown = 0

const ask = tool({
  run: async (_args, ctx) => `Hello, ${(await ctx.elicit('Your name?', object({ name: STRING }))).name}`,
})

const app = new Server({
  name: 'zoo',
  version: '1.0.0',
  numbers: 'exact',
  tools: {
    echo: tool({ input: object({ text: STRING }), run: (args) => args.text }),
    add: tool({
      input: object({ a: INTEGER, b: INTEGER }),
      output: object({ sum: INTEGER }),
      run: ({ a, b }) => ({ sum: a + b }),
    }),
    fail: tool({ run: () => new ToolResult({ content: [text('this tool fails')], isError: true }) }),
    progress: tool({
      run: async (_args, ctx) => {
        for (const step of [1, 2, 3]) await ctx.progress(step, 3, `step ${step}`)
        return 'done'
      },
    }),
    log: tool({
      run: async (_args, ctx) => {
        await ctx.log('warning', 'a line')
        return 'logged'
      },
    }),
    ask,
    ask_live: ask,
    sample: tool({
      run: async (_args, ctx) => {
        const messages = [{ role: 'user', content: { type: 'text', text: 'Say a word' } }]
        return (await ctx.sample({ messages, maxTokens: 10 })).content.text
      },
    }),
    roots: tool({ run: async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' ') }),
    big: tool({ input: object({ value: INTEGER }), run: ({ value }) => String(value) }),
    image: tool({ run: () => image(PIXEL, 'image/png') }),
    slow: tool({
      run: (_args, ctx) =>
        new Promise((resolve) => {
          const timer = setTimeout(() => resolve('slept'), 20_000)
          ctx.signal.addEventListener('abort', () => {
            cancelled += 1
            clearTimeout(timer)
            resolve('cancelled')
          })
        }),
    }),
    cancelled: tool({ run: () => String(cancelled) }),
    grow: tool({
      run: () => {
        grown += 1
        app.tool(`grown_${grown}`, { run: () => 'grown' })
        return 'grown'
      },
    }),
    touch: tool({
      run: () => {
        app.notifyResourceUpdated('note://one')
        return 'touched'
      },
    }),
  },
  resources: [{ uri: 'note://one', name: 'one', mimeType: 'text/plain', text: 'note one' }],
  templates: [{ uriTemplate: 'note://{name}', name: 'note', read: ({ name }) => `note ${name}` }],
  prompts: {
    greet: {
      arguments: {
        name: {
          required: true,
          complete: (typed) => ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(typed)),
        },
      },
      run: ({ name }) => `Greet ${name}`,
    },
  },
})

if (process.argv[2] === '--http') {
  const server = createServer(toNodeHandler(app))
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
} else {
  await serveStdio(app)
}
