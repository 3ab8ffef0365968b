// Lets a server ask the user, in the terminal: forms field by field, pages by their address.
//
//   node examples/elicitation-client.mjs TOOL [JSON]
import { createInterface } from 'node:readline'
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'

const [tool = 'publish', args = '{"id":"welcome"}'] = process.argv.slice(2)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

async function prompt(question) {
  process.stdout.write(question)
  const { value } = await lines.next()
  return value
}

/** What was typed, as the field wants it; nothing at all leaves the field to its default. */
function read(typed, field) {
  if (typed === '') return undefined
  if (field.type === 'boolean') return /^(y|yes|true)$/i.test(typed)
  return field.type === 'number' || field.type === 'integer' ? Number(typed) : typed
}

/** Asks until it is one of the options; undefined at the end of input. */
async function ask(name, { title = name, enum: options }) {
  for (;;) {
    const typed = await prompt(`  ${title}${options ? ` [${options.join(', ')}]` : ''}: `)
    if (typed === undefined || typed === '' || !options || options.includes(typed)) return typed
  }
}

/** A form without fields is a question of yes or no. The end of input declines. */
async function fillIn({ message, requestedSchema }) {
  console.log(message)
  const fields = Object.entries(requestedSchema.properties)
  if (fields.length === 0 && !/^y/i.test((await prompt('  [yes, no]: ')) ?? '')) return { action: 'decline' }
  const content = {}
  for (const [name, field] of fields) {
    const typed = await ask(name, field)
    if (typed === undefined) return { action: 'decline' }
    const value = read(typed, field)
    if (value !== undefined) content[name] = value
  }
  return { action: 'accept', content }
}

/** The page is opened by the user, never by the server: it is shown in full first. */
async function visit({ message, url }) {
  const typed = await prompt(`${message}\n  ${url}\n  Opened it? `)
  return { action: /^y/i.test(typed ?? '') ? 'accept' : 'decline' }
}

const client = await connect(stdio('node', ['examples/notes-server.mjs', 'stdio']), {
  elicit: { form: fillIn, url: visit },
})
const result = await client.call(tool, JSON.parse(args))
console.log(`\n${result.text()}`)
await client.close()
process.stdin.destroy()
