// A small agent: a model, the tools of some MCP servers, and a loop. The model is any endpoint that speaks the
// common chat-completions format.
//
//   MODEL_URL=http://localhost:11434/v1 MODEL=qwen3 node examples/agent-loop.mjs "Summarise my notes"
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'

const { MODEL_URL, MODEL = 'default', MODEL_KEY } = process.env
const MAX_TURNS = 10
const [task = 'Which notes are there?'] = process.argv.slice(2)

async function think(messages, tools) {
  const response = await fetch(`${MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(MODEL_KEY && { authorization: `Bearer ${MODEL_KEY}` }),
    },
    body: JSON.stringify({ model: MODEL, messages, ...(tools.length > 0 && { tools }) }),
  })
  if (!response.ok) throw new Error(`The model answered HTTP ${response.status}: ${await response.text()}`)
  const { choices } = await response.json()
  return choices[0].message
}

/** A server may borrow the model; what it wants to ask is shown, because the user pays for it. */
async function sample({ messages, systemPrompt }) {
  console.log('(the server asks the model)')
  const system = systemPrompt ? [{ role: 'system', content: systemPrompt }] : []
  const plain = messages.map(({ role, content }) => ({ role, content: [content].flat()[0].text }))
  const { content } = await think([...system, ...plain], [])
  return { role: 'assistant', model: MODEL, content: { type: 'text', text: content } }
}

/** What a tool said, as text for the model. Failures are text too: the model can try something else. */
async function act(client, { name, arguments: args }) {
  console.log(`→ ${name} ${args}`)
  try {
    const result = await client.call(name, JSON.parse(args || '{}'), { timeout: '60s' })
    return result.isError ? `The tool failed: ${result.text()}` : result.text()
  } catch (error) {
    return `The call failed: ${error.message}`
  }
}

// Without `elicit`, questions for the user are declined: this program has nobody to ask.
const client = await connect(stdio('node', ['examples/notes-server.mjs', 'stdio']), { sample })
const tools = (await client.listTools().all()).map(({ name, description, inputSchema }) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
}))

const messages = [{ role: 'user', content: task }]
for (let turn = 0; turn < MAX_TURNS; turn++) {
  const said = await think(messages, tools)
  messages.push(said)
  if (!said.tool_calls?.length) {
    console.log(said.content)
    break
  }
  const results = await Promise.all(said.tool_calls.map((call) => act(client, call.function)))
  for (const [index, call] of said.tool_calls.entries()) {
    messages.push({ role: 'tool', tool_call_id: call.id, content: results[index] })
  }
}
await client.close()
