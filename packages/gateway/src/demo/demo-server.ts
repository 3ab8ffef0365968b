import { Server, ToolResult, user } from '@gantry/mcp/server'

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

interface Note {
  title: string
  text: string
}

const TITLE = { type: 'string', description: 'The title of the note', minLength: 1, maxLength: 80 }

/** A small notes server that shows what a server can do: questions, progress, resources that change, prompts. */
export function createDemoServer(): Server {
  const notes = new Map<string, Note>([['welcome', { title: 'Welcome', text: 'Notes live in memory only.' }]])
  const slug = (title: string): string =>
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')

  const app = new Server({
    name: 'gantry-demo',
    version: '1.0.0',
    title: 'Demo notes',
    instructions: 'Keeps short notes in memory. Deleting asks the user first.',
  })

  const publish = (id: string, note: Note): void => {
    const known = notes.has(id)
    notes.set(id, note)
    if (known) app.notifyResourceUpdated(`note:///${id}`)
    else addResource(id)
  }
  const addResource = (id: string): void => {
    app.resource({
      uri: `note:///${id}`,
      name: id,
      mimeType: 'text/markdown',
      read: () => {
        const note = notes.get(id)
        return note && `# ${note.title}\n\n${note.text}\n`
      },
    })
  }

  app.tool('add_note', {
    title: 'Add a note',
    description: 'Writes a note, or replaces the one with the same title',
    input: {
      type: 'object',
      properties: { title: TITLE, text: { type: 'string', description: 'Markdown' } },
      required: ['title', 'text'],
    },
    idempotentHint: true,
    run: (args) => {
      const note = args as unknown as Note
      publish(slug(note.title), note)
      return `Saved as note:///${slug(note.title)}`
    },
  })
  app.tool('list_notes', {
    description: 'Lists all notes',
    readOnlyHint: true,
    output: {
      type: 'object',
      properties: { notes: { type: 'array', items: { type: 'object' } } },
      required: ['notes'],
    },
    run: () => ({ notes: [...notes].map(([id, { title }]) => ({ id, title })) }),
  })
  app.tool('delete_note', {
    description: 'Deletes a note after asking the user',
    input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    destructiveHint: true,
    run: async (args, ctx) => {
      const id = String(args.id)
      if (!notes.has(id))
        return new ToolResult({
          content: [{ type: 'text', text: `There is no note "${id}"` }],
          isError: true,
        })
      if (!(await ctx.confirm(`Delete "${notes.get(id)!.title}"?`))) return 'Kept'
      notes.delete(id)
      app.resource(`note:///${id}`).remove()
      return 'Deleted'
    },
  })
  app.tool('count_down', {
    description: 'Counts down slowly, reporting progress',
    input: { type: 'object', properties: { from: { type: 'integer', minimum: 1, maximum: 60, default: 5 } } },
    readOnlyHint: true,
    run: async (args, ctx) => {
      const from = typeof args.from === 'number' ? args.from : 5
      for (let done = 0; done < from && !ctx.signal.aborted; done++) {
        await ctx.progress(done, from, `${from - done} to go`)
        await ctx.log('info', `${from - done} to go`)
        await sleep(1000, ctx.signal)
      }
      return 'Lift-off'
    },
  })
  app.tool('ask_model', {
    description: "Asks the client's own model (sampling)",
    input: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
    run: async (args, ctx) => {
      const content = { type: 'text' as const, text: String(args.question) }
      const answer = await ctx.sample({ messages: [{ role: 'user', content }], maxTokens: 200 })
      return Array.isArray(answer.content)
        ? JSON.stringify(answer.content)
        : [answer.content as typeof content]
    },
  })
  app.prompt('summarise', {
    description: 'Asks for a summary of a note',
    arguments: {
      id: {
        description: 'The note',
        required: true,
        complete: (typed) => [...notes.keys()].filter((id) => id.startsWith(typed)),
      },
    },
    run: ({ id }) => [
      user(
        `Summarise this note in one sentence:\n\n${notes.get(id ?? '')?.text ?? '(there is no such note)'}`,
      ),
    ],
  })
  addResource('welcome')
  return app
}
