import { Server, tool } from '@gantry/mcp/server'
import { z } from 'zod'

const add = tool({
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  readOnlyHint: true,
  run: ({ a, b }) => ({ sum: a + b }),
})

const greet = tool({
  description: 'Greets the user by the name that they give',
  run: async (_args, ctx) => {
    const { name } = await ctx.elicit('What is your name?', z.object({ name: z.string() }))
    return `Hello, ${name}!`
  },
})

export const server = new Server({ name: '{{name}}', version: '0.1.0', tools: { add, greet } })

/** For typed clients: `connect<App>(…)`. */
export type App = typeof server
