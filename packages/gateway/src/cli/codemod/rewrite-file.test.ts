import { describe, expect, it } from 'vitest'
import typescript from 'typescript'
import { rewriteFile } from './rewrite-file.ts'

const IMPORT =
  "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'\nimport { z } from 'zod'\n"

/** The new text of a file, without its imports, and the notes. */
function rewrite(body: string, head = IMPORT): { text: string; notes: string[] } {
  const result = rewriteFile('/project/server.ts', head + body, typescript)
  const text = (result?.text ?? '').replaceAll(/^import .*\n/gm, '').trim()
  return { text, notes: (result?.notes ?? []).map(({ message }) => message) }
}

const tool = (call: string): string =>
  rewrite(`const server = make()\n${call}`).text.split('\n').slice(1).join('\n')

describe('the codemod', () => {
  it.each([
    [
      `server.tool('a', () => ({ content: [] }))`,
      `server.tool('a', { run: () => new ToolResult({ content: [] }) })`,
    ],
    [
      `server.tool('a', 'Says A', async () => ({ content: [{ type: 'text', text: 'A' }] }))`,
      `server.tool('a', { description: 'Says A', run: async () => 'A' })`,
    ],
    [
      `server.tool('a', { b: z.string() }, ({ b }) => ({ content: [{ type: 'text', text: b }] }))`,
      `server.tool('a', { input: z.object({ b: z.string() }), run: ({ b }) => text(b) })`,
    ],
    [
      `server.tool('a', 'Says A', { b: z.string() }, { readOnlyHint: true }, say)`,
      `server.tool('a', { description: 'Says A', input: z.object({ b: z.string() }), annotations: { readOnlyHint: true }, run: async (args, extra) => new ToolResult(await (say)(args, extra)) })`,
    ],
    [
      `server.tool('a', { title: 'A' }, (extra) => say(extra.authInfo))`,
      `server.tool('a', { annotations: { title: 'A' }, run: async (_args, extra) => new ToolResult(await say(extra.auth)) })`,
    ],
  ])('gives the arguments of %s names', (before, after) => {
    expect(tool(before)).toBe(after)
  })

  it('takes schemas as they are, and makes them of shapes, wherever they stand', () => {
    const { text } = rewrite(`
const shape = { a: z.string() }
const Whole = z.object({ a: z.string() }).strict()
const shared = { description: 'Shared', inputSchema: shape }
server.registerTool('one', { inputSchema: Whole, outputSchema: shape }, run)
server.registerTool('two', shared, run)
server.registerTool('three', { inputSchema: Whole.shape }, run)`)
    expect(text).toContain("server.tool('one', { input: Whole, output: z.object(shape), run: ")
    expect(text).toContain(
      "server.tool('two', { description: shared.description, input: z.object(shared.inputSchema), run: ",
    )
    expect(text).toContain("server.tool('three', { input: z.object(Whole.shape), run: ")
  })

  it('shows the errors that a handler throws, and leaves the others alone', () => {
    const { text } = rewrite(`
server.tool('a', async () => {
  if (isLate()) throw new Error('Too late')
  return await later()
})
function isLate() { throw new Error('hidden') }`)
    expect(text).toContain("throw new ToolError('Too late')")
    expect(text).toContain("throw new Error('hidden')")
    expect(text).toContain('return new ToolResult(await later())')
  })

  it('joins what a server is and what it can do', () => {
    expect(
      rewrite("const server = new McpServer({ name: 'a', version: '1' }, { instructions: 'Ask', x: 1 })"),
    ).toEqual({
      text: "const server = new Server({ name: 'a', version: '1', instructions: 'Ask',  })",
      notes: ['A server has no option `x`; it is left out'],
    })
    expect(rewrite('const server = new McpServer(info, options)').text).toBe(
      'const server = new Server({ ...info, ...options })',
    )
  })

  it('reads resources by their URI as text, and by a URL where a handler uses one', () => {
    const { text } = rewrite(`
server.resource('a', 'a://a', async (uri) => ({ contents: [{ uri: uri.href, text: 'A' }] }))
server.registerResource('b', new ResourceTemplate('b://{id}', { list: undefined, complete: { id: ids } }), { mimeType: 'text/plain' }, async (uri, { id }) => ({ contents: [{ uri: uri.href, text: id }] }))
server.resource('c', 'c://c', async (uri) => read(uri))`)
    expect(text.split('\n')).toEqual([
      "server.resource({ name: 'a', uri: 'a://a', read: async (uri) => ({ contents: [{ uri: uri, text: 'A' }] }) })",
      "server.template({ name: 'b', uriTemplate: 'b://{id}', complete: { id: ids }, mimeType: 'text/plain', read: async ({ id }, { uri }) => ({ contents: [{ uri: uri, text: id }] }) })",
      "server.resource({ name: 'c', uri: 'c://c', read: (uri, extra) => (async (uri) => read(uri))(new URL(uri), extra) })",
    ])
  })

  it('serves stdio, and waits only where nothing follows', () => {
    const head =
      "import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'\nimport { server } from './server.js'\n"
    const body =
      'async function main() {\n  const transport = new StdioServerTransport()\n  await server.connect(transport)\n'
    expect(rewrite(`${body}}`, head).text).toBe('async function main() {\n  await serveStdio(server)\n}')
    expect(rewrite(`${body}  console.error('up')\n}`, head).text).toContain('  void serveStdio(server)\n')
  })

  it('names what it cannot do', () => {
    const { notes } = rewrite(`
server.server.setRequestHandler(schema, handler)
server.tool('a', (extra) => ask(extra.sendRequest))
const transport = new StreamableHTTPServerTransport({})
await server.connect(transport)`)
    expect(notes).toEqual([
      expect.stringContaining('`server.server.setRequestHandler` reaches below the server'),
      expect.stringContaining('`extra.sendRequest` has no counterpart'),
      expect.stringContaining('toNodeHandler(server)'),
    ])
  })

  it('leaves files alone that have nothing to do with it, and what inherits its name from objects', () => {
    expect(
      rewriteFile('/project/a.ts', 'kitchen.tool(1, 2).toString()\nx.constructor()', typescript),
    ).toBeUndefined()
    expect(rewrite("server.tool('a', () => ({ content: [] }))\n(5).toString()\n").text).toContain(
      '(5).toString()',
    )
  })

  it('keeps the names that a file has', () => {
    const result = rewriteFile(
      '/a.ts',
      `${IMPORT}const text = 1\nserver.tool('a', () => ({ content: [{ type: 'text', text: say() }] }))`,
      typescript,
    )
    expect(result?.text).toContain("import { text as GantryText } from '@gantry/mcp/server'")
    expect(result?.text).toContain('run: () => GantryText(say())')
  })
})
