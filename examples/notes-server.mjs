// A notes server that uses every feature of the SDK's server.
//
//   node examples/notes-server.mjs stdio
//   node examples/notes-server.mjs http 3000
import { createServer } from 'node:http'
import {
  audio,
  embeddedResource,
  image,
  resourceLink,
  Server,
  text,
  tool,
  ToolError,
  user,
} from '@gantry/mcp/server'
import { serveStdio, toNodeHandler } from '@gantry/mcp/server/node'
import { z } from 'zod'

/** @type {Map<string, { title: string, text: string, public: boolean }>} */
const notes = new Map([['welcome', { title: 'Welcome', text: 'Notes live in memory only.', public: true }]])
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

const find = (id) => {
  const note = notes.get(id)
  if (!note) throw new ToolError(`There is no note "${id}". Notes: ${[...notes.keys()].join(', ')}`)
  return note
}

const app = new Server({
  name: 'notes',
  version: '1.0.0',
  title: 'Notes',
  instructions: 'Keeps notes. Publishing and deleting ask the user first.',
  pageSize: 50,
  cache: { tools: { ttl: '1m', cacheScope: 'public' } },
  tools: {
    add: tool({
      title: 'Add a note',
      description: 'Writes a note',
      input: z.object({ id: z.string().regex(/^[a-z0-9-]+$/), title: z.string(), text: z.string() }),
      idempotentHint: true,
      run: ({ id, ...note }) => {
        const isNew = !notes.has(id)
        notes.set(id, { ...note, public: false })
        if (isNew) addResource(id)
        else app.notifyResourceUpdated(`notes://note/${id}`)
        return resourceLink({ uri: `notes://note/${id}`, name: id, title: note.title })
      },
    }),
    list: tool({
      description: 'Lists all notes',
      output: z.object({ notes: z.array(z.object({ id: z.string(), title: z.string() })) }),
      readOnlyHint: true,
      run: () => ({ notes: [...notes].map(([id, { title }]) => ({ id, title })) }),
    }),
    publish: tool({
      description: 'Makes a note public, after asking',
      input: z.object({ id: z.string() }),
      output: z.object({ public: z.boolean(), url: z.string().optional() }),
      run: async ({ id }, ctx) => {
        const note = find(id)
        if (!(await ctx.confirm(`Make "${note.title}" public?`))) return { public: false }
        const { region } = await ctx.elicit('Where?', z.object({ region: z.enum(['eu', 'us']) }))
        const url = await ctx.step('publish', () => {
          note.public = true
          return `https://${region}.notes.example/${id}`
        })
        return { public: true, url }
      },
    }),
    delete: tool({
      description: 'Deletes a note, after asking',
      input: z.object({ id: z.string() }),
      destructiveHint: true,
      run: async ({ id }, ctx) => {
        find(id)
        if (!(await ctx.confirm(`Delete "${id}"?`))) return 'Kept'
        notes.delete(id)
        resources.get(id)?.remove()
        return 'Deleted'
      },
    }),
    summarise: tool({
      description: "Summarises a note with the client's own model",
      input: z.object({ id: z.string() }),
      run: async ({ id }, ctx) => {
        const prompt = `Summarise in one sentence: ${find(id).text}`
        const messages = [{ role: 'user', content: { type: 'text', text: prompt } }]
        const { content } = await ctx.sample({ messages, maxTokens: 200 })
        return Array.isArray(content) ? JSON.stringify(content) : content
      },
    }),
    reindex: tool({
      description: 'Goes through all notes, slowly',
      readOnlyHint: true,
      run: async (_args, ctx) => {
        let done = 0
        for (const id of notes.keys()) {
          if (ctx.signal.aborted) break
          await ctx.progress(done++, notes.size, id)
          await ctx.log('info', `indexing ${id}`, 'indexer')
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
        await ctx.progress(notes.size, notes.size)
        return `${done} notes`
      },
    }),
    where: tool({
      description: "Names the client's roots",
      run: async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join('\n') || 'nowhere',
    }),
    show: tool({
      description: 'Every kind of content',
      run: () => [
        text('text'),
        image(PIXEL, 'image/png'),
        audio(SILENCE, 'audio/wav'),
        embeddedResource({ uri: 'notes://about', mimeType: 'text/plain', text: 'embedded' }),
        resourceLink({ uri: 'notes://about', name: 'about' }),
      ],
    }),
  },
  prompts: {
    review: {
      title: 'Review a note',
      description: 'Asks for a review',
      arguments: {
        id: { required: true, complete: (typed) => [...notes.keys()].filter((id) => id.startsWith(typed)) },
        tone: { complete: () => ['kind', 'strict'] },
      },
      run: ({ id, tone = 'kind' }) => [
        user(`Review this note in a ${tone} tone.`),
        user(embeddedResource({ uri: `notes://note/${id}`, mimeType: 'text/markdown', text: find(id).text })),
      ],
    },
  },
  resources: [{ uri: 'notes://about', name: 'about', mimeType: 'text/plain', text: 'A notes server.' }],
  templates: {
    note: {
      uriTemplate: 'notes://note/{id}',
      mimeType: 'text/markdown',
      read: ({ id }) => notes.get(id)?.text,
      complete: { id: (typed) => [...notes.keys()].filter((id) => id.startsWith(typed)) },
    },
  },
})

const resources = new Map()
function addResource(id) {
  const { title } = notes.get(id)
  const read = () => notes.get(id)?.text
  resources.set(
    id,
    app.resource({ uri: `notes://note/${id}`, name: id, title, mimeType: 'text/markdown', read }),
  )
}
for (const id of notes.keys()) addResource(id)

app.use(async (exchange, next) => {
  const started = performance.now()
  const outcome = await next()
  if (process.env.NOTES_LOG) console.error(exchange.method, Math.round(performance.now() - started), 'ms')
  return outcome
})

const [transport = 'stdio', port = '3000'] = process.argv.slice(2)
if (transport === 'http') {
  const server = createServer(toNodeHandler(app))
  server.listen(Number(port), '127.0.0.1', () => {
    console.log(`Listening on http://127.0.0.1:${server.address().port}/mcp`)
  })
} else await serveStdio(app)
