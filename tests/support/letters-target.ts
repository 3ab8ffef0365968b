import { messageOf, scriptedTarget, type ScriptedTarget } from './scripted-target.ts'

const PROGRAM = `
const write = (id, result, error) =>
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result, error }) + '\\n')
const facts = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
const tools = [{ name: 'letters', inputSchema: { type: 'object' } }]
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') write(id, facts)
  else if (method === 'tools/list') write(id, { tools })
  else if (method === 'tools/call') {
    const { letter = 'x', size } = params.arguments
    write(id, { content: [{ type: 'text', text: letter.repeat(size) }] })
  } else if (id !== undefined) write(id, undefined, { code: -32601, message: 'no' })
})`

/** A program whose tool `letters` answers with a letter, as often as one likes. */
export const lettersProgram = { command: process.execPath, args: ['-e', PROGRAM] }

/** The same at a URL; the answer is a body, or an event of a stream. */
export function lettersServer(as: 'body' | 'event'): Promise<ScriptedTarget> {
  return scriptedTarget({
    'tools/list': () => ({ tools: [{ name: 'letters', inputSchema: { type: 'object' } }] }),
    'tools/call': ({ id, params, response }) => {
      const { letter = 'x', size } = params.arguments
      const message = messageOf(id, { content: [{ type: 'text', text: letter.repeat(size) }] })
      const text = as === 'event' ? `data: ${message}\n\n` : message
      const type = as === 'event' ? 'text/event-stream' : 'application/json'
      const length = as === 'event' ? {} : { 'content-length': text.length }
      response.writeHead(200, { 'content-type': type, ...length }).end(text, 'latin1')
      return undefined
    },
  })
}
