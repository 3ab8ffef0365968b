// Prints lines of JSON: texts with planted secrets, and what a client of the gateway gets to read of each.
// node --conditions=@gantry/source --import ./scripts/lib/typescript-loader.mjs scripts/interop/presidio/masked.mjs COUNT
import { connect } from '@gantry/mcp/client'
import { Server, ToolResult } from '@gantry/mcp/server'
import {
  Lot,
  prose,
  SECRETS,
} from '../../../packages/gateway/src/chain/results/planted-secrets.test.support.ts'
import { configFromValue } from '../../../packages/gateway/src/config/index.ts'
import { startGateway } from '../../../packages/gateway/src/main.ts'

const [count, stateDir] = process.argv.slice(2)

const PLACES = {
  text: (text) => ({ content: [{ type: 'text', text }] }),
  structured: (text) => ({ content: [], structuredContent: { notes: [{ text }] } }),
  resource: (text) => ({ content: [{ type: 'resource', resource: { uri: 'note:1', text } }] }),
  link: (text) => ({
    content: [{ type: 'resource_link', uri: 'note:1', name: 'note', description: text }],
  }),
  error: (text) => ({ content: [{ type: 'text', text }], isError: true }),
}

const notes = new Server({
  name: 'notes',
  tools: {
    say: {
      description: 'Says a text in a place of its result',
      input: { type: 'object', properties: { text: { type: 'string' }, place: { type: 'string' } } },
      run: ({ text, place }) => new ToolResult(PLACES[place](text)),
    },
  },
})

const config = {
  mcpServers: { notes: { module: 'notes' } },
  results: [{ mask: ['email', 'phone', 'card', 'iban', 'national-id', 'keys'] }],
  server: { port: 0 },
  stateDir,
}
const { model } = await configFromValue(config, {})
const running = await startGateway({ model, embedded: new Map([['notes', notes]]), logLevel: 'error' })
const client = await connect(`${running.url}/mcp`)
const lot = new Lot(7)
const kinds = Object.entries(SECRETS)
const places = Object.keys(PLACES)
for (let at = 0; at < Number(count); at++) {
  const [kind, make] = kinds[at % kinds.length]
  const place = places[Math.floor(at / kinds.length) % places.length]
  // Presidio knows an address by its public suffix, and example is none.
  const before = prose(lot, make(lot)).replace('.example', '.com')
  const { raw } = await client.call('notes_say', { text: before, place })
  console.log(JSON.stringify({ kind, place, before, after: textsIn(raw).join('\n') }))
}
await client.close()
await running.close()

/** All texts of a value, as a reader sees them. */
function textsIn(value) {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
