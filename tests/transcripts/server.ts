import {
  audio,
  embeddedResource,
  image,
  prompt,
  resource,
  resourceLink,
  Server,
  template,
  text,
  tool,
} from '@gantry/mcp/server'

const region = {
  type: 'object',
  properties: { region: { type: 'string', enum: ['eu', 'us'] } },
  required: ['region'],
}

/** The server that the transcripts talk to: one tool for each flow. */
export function createTranscriptServer(): Server {
  const app = new Server({
    name: 'transcripts',
    version: '1.0.0',
    title: 'Transcripts',
    instructions: 'Say what is written.',
    tools: {
      echo: tool({
        title: 'Echo',
        description: 'Says it back',
        readOnlyHint: true,
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        run: ({ text: said }) => String(said),
      }),
      add: tool({
        description: 'Adds two numbers',
        input: {
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number' } },
          required: ['a', 'b'],
        },
        output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
        run: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
      }),
      media: tool({
        run: () => [
          text('text'),
          image('AAAA', 'image/png'),
          audio('AAAA', 'audio/wav'),
          resourceLink({ uri: 'note://1', name: 'first' }),
          embeddedResource({ uri: 'note://1', text: 'a note' }),
        ],
      }),
      broken: tool({ run: () => Promise.reject(new Error('secret')) }),
      work: tool({
        run: async (_args, ctx) => {
          await ctx.progress(1, 2, 'half')
          await ctx.log('info', 'working', 'worker')
          await ctx.progress(2, 2)
          return 'worked'
        },
      }),
      touch: tool({
        run: () => {
          app.notifyResourceUpdated('note://1')
          return 'touched'
        },
      }),
      grow: tool({
        run: () => {
          app.tool('grown', { run: () => 'grown' })
          return 'grown'
        },
      }),
      capital: tool({
        run: async (_args, ctx) => {
          const content = { type: 'text' as const, text: 'Capital of France?' }
          const answer = await ctx.sample(
            { messages: [{ role: 'user', content }], maxTokens: 10 },
            { key: 'capital' },
          )
          return JSON.stringify(answer.content)
        },
      }),
      where: tool({ run: async (_args, ctx) => JSON.stringify(await ctx.roots({ key: 'roots' })) }),
      publish: tool({
        input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        run: async ({ id }, ctx) => {
          const answer = await ctx.elicit('Where?', region, { key: 'region' })
          return `${String(id)} in ${String(answer.region)}`
        },
      }),
      signIn: tool({
        run: async (_args, ctx) => {
          await ctx.openUrl('Sign in', 'https://example.com/sign-in', { key: 'page' })
          return 'signed in'
        },
      }),
      wait: tool({ run: () => new Promise<string>(() => {}) }),
    },
    prompts: {
      greet: prompt({
        description: 'Greets',
        arguments: {
          name: { description: 'Whom', required: true, complete: (value) => [`${value}da`, `${value}lan`] },
        },
        run: ({ name }) => `Hello ${name}`,
      }),
    },
    resources: { first: resource({ uri: 'note://1', mimeType: 'text/plain', text: 'a note' }) },
    templates: {
      archive: template({ uriTemplate: 'note://archive/{id}', read: ({ id }) => `archived ${String(id)}` }),
    },
  })
  return app as Server
}
