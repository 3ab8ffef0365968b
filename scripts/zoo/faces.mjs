import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { connect } from '@gantry/mcp/client'

export const PATIENCE = 120_000
const ANSWERS = {
  elicit: () => ({ action: 'decline' }),
  sample: () => ({ role: 'assistant', content: { type: 'text', text: 'zoo' }, model: 'zoo' }),
  roots: () => [],
}

/** The official client on a server of its own, as the face that `look` takes. */
export async function officialFace({ command, args, env, cwd, stderr }) {
  const client = new OfficialClient(
    { name: 'zoo', version: '1.0.0' },
    { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } },
  )
  client.setRequestHandler(ElicitRequestSchema, ANSWERS.elicit)
  client.setRequestHandler(CreateMessageRequestSchema, ANSWERS.sample)
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: ANSWERS.roots() }))
  await client.connect(new StdioClientTransport({ command, args, env, cwd, stderr }), { timeout: PATIENCE })
  const offers = client.getServerCapabilities() ?? {}
  const options = { timeout: PATIENCE }
  // Its own schemas for results drop members that they do not know.
  const ask = (method, params) => client.request({ method, params }, ResultSchema, options)
  return {
    revision: () => undefined,
    tools: () => (offers.tools ? pages(ask, 'tools') : []),
    prompts: () => (offers.prompts ? pages(ask, 'prompts') : []),
    resources: () => (offers.resources ? pages(ask, 'resources') : []),
    call: (name, args) => ask('tools/call', { name, arguments: args }),
    prompt: (name) => ask('prompts/get', { name }),
    read: (uri) => ask('resources/read', { uri }),
    close: () => client.close(),
  }
}

/** Our client, on a server of its own or on the gateway's endpoint. */
export async function ourFace(where, era) {
  const client = await connect(where, { ...ANSWERS, timeout: PATIENCE, ...(era && { era }) })
  const offers = client.serverCapabilities ?? {}
  return {
    revision: () => client.protocolVersion,
    tools: () => (offers.tools ? all(client.listTools()) : []),
    prompts: () => (offers.prompts ? all(client.listPrompts()) : []),
    resources: () => (offers.resources ? all(client.listResources()) : []),
    call: async (name, args) => (await client.call(name, args)).raw,
    prompt: (name) => client.getPrompt(name),
    read: (uri) => client.readResource(uri),
    close: () => client.close(),
  }
}

async function all(items) {
  const found = []
  for await (const item of items) found.push(item)
  return found
}

async function pages(ask, member) {
  const found = []
  let cursor
  do {
    const page = await ask(`${member}/list`, cursor === undefined ? {} : { cursor })
    found.push(...page[member])
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}
