// A server that writes down each call before it answers: a file says what was done, also when the gateway died meanwhile.
// node counting-server.mjs [PORT]   LEDGER is the file, REVISIONS what it speaks; without a port on standard input.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server, tool } from '@gantry/mcp/server'
import { serveStdio, toNodeHandler } from '@gantry/mcp/server/node'

const text = { type: 'string' }
const input = { type: 'object', properties: { id: text, wait: { type: 'number' } }, required: ['id'] }
const name = { type: 'object', properties: { name: text }, required: ['name'] }
const note = (id) => appendFileSync(process.env.LEDGER, `${id}\n`)

async function run({ id, wait = 0 }, ctx) {
  note(id)
  await ctx.progress(1, 1, id)
  await sleep(wait)
  return id
}

const app = new Server({
  name: 'counting',
  version: '1.0.0',
  // Whatever process gets the answer to a question can go on with the call.
  secret: 'a secret that all processes of this server share',
  revisions: process.env.REVISIONS.split(','),
  tools: {
    once: tool({ input, run }),
    again: tool({ input, readOnlyHint: true, run }),
    ask: tool({
      input,
      run: async ({ id }, ctx) => {
        const answer = await ctx.elicit(`Who are you, ${id}?`, name)
        return ctx.step('note', () => {
          note(id)
          return `${id} ${answer.name}`
        })
      },
    }),
    where: tool({ readOnlyHint: true, run: () => `${process.pid} ${process.ppid}` }),
  },
})
const [port] = process.argv.slice(2)
if (port === undefined) await serveStdio(app)
else createServer(toNodeHandler(app)).listen(Number(port), '127.0.0.1', () => console.log('ready'))
