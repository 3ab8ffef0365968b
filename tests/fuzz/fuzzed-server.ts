import { prompt, resource, Server, template, tool } from '@gantry/mcp/server'

/** Everything a server can have, so that mutated messages find something to hit. */
export function createFuzzedServer(): Server {
  return new Server({
    name: 'fuzzed',
    version: '1.0.0',
    pageSize: 2,
    tools: {
      echo: tool({
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        run: ({ text }) => String(text),
      }),
      fail: tool({ run: () => Promise.reject(new Error('secret')) }),
      ask: tool({ run: async (_args, ctx) => String(await ctx.confirm('Sure?', { key: 'q' })) }),
      report: tool({
        run: async (_args, ctx) => {
          await ctx.progress(1, 2)
          await ctx.log('error', 'reported')
          return 'done'
        },
      }),
    },
    prompts: {
      hello: prompt({ arguments: { who: { complete: (v) => [v] } }, run: ({ who }) => `Hello ${who}` }),
    },
    resources: { note: resource({ uri: 'note://1', text: 'a note' }) },
    templates: { notes: template({ uriTemplate: 'note://{a}/{b}', read: ({ a, b }) => `${a} ${b}` }) },
  }) as Server
}

/** A reply is JSON-RPC: nothing else may ever leave a server. */
export function checkReply(text: string): void {
  const value = JSON.parse(text) as unknown
  for (const message of Array.isArray(value) ? value : [value]) {
    const { jsonrpc, result, error, method } = message as Record<string, unknown>
    if (jsonrpc !== '2.0') throw new Error(`Not JSON-RPC: ${text.slice(0, 200)}`)
    if (result === undefined && error === undefined && method === undefined) {
      throw new Error(`Neither an answer nor a question: ${text.slice(0, 200)}`)
    }
    if (text.includes('secret')) throw new Error('An exception leaked')
  }
}
