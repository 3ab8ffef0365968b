import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const PATIENCE = 60_000

/**
 * All that the official client sees of a server on stdio: its lists, and the answers to what it asks.
 *
 * @param {{ command: string, args?: string[], env?: Record<string, string>, cwd?: string }} launch
 * @param {{ calls?: unknown[], prompts?: unknown[], resources?: string[], answer?: object }} asked
 */
export async function seenByOfficialClient(launch, { calls = [], prompts = [], resources = [], answer }) {
  const client = new Client(
    { name: 'interop', version: '1.0.0' },
    { capabilities: answer ? { elicitation: {} } : {} },
  )
  if (answer) client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: answer }))
  const env = { ...process.env, ...launch.env }
  await client.connect(new StdioClientTransport({ ...launch, env, stderr: 'ignore' }), { timeout: PATIENCE })
  try {
    const has = client.getServerCapabilities() ?? {}
    const { name } = client.getServerVersion() ?? {}
    return {
      name,
      tools: has.tools ? (await client.listTools()).tools.map(plainTool).sort(byName) : [],
      prompts: has.prompts ? (await client.listPrompts()).prompts.sort(byName) : [],
      resources: has.resources ? (await client.listResources()).resources.sort(byName) : [],
      templates: has.resources ? (await client.listResourceTemplates()).resourceTemplates.sort(byName) : [],
      answers: [
        ...(await each(calls, ([tool, args]) => client.callTool({ name: tool, arguments: args }))),
        ...(await each(prompts, ([prompt, args]) => messagesOf(client, prompt, args))),
        ...(await each(resources, (uri) => client.readResource({ uri }))),
      ],
    }
  } finally {
    await client.close()
  }
}

/** A prompt may repeat its description in the answer. Gantry does; it is in the list as well, where it is compared. */
async function messagesOf(client, name, args) {
  const { description, ...result } = await client.getPrompt({ name, arguments: args })
  return result
}

async function each(items, ask) {
  const answers = []
  for (const item of items) answers.push(await ask(item))
  return answers
}

const byName = (a, b) => (a.name < b.name ? -1 : 1)

/** Members that name a dialect or repeat a default of JSON Schema say nothing about a tool. */
function plainTool({ execution, ...tool }) {
  return plainSchema(tool)
}

function plainSchema(value) {
  if (Array.isArray(value)) return value.map(plainSchema)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name, member]) => !saysNothing(name, member))
  return Object.fromEntries(members.map(([name, member]) => [name, plainSchema(member)]))
}

function saysNothing(name, member) {
  if (name === '$schema') return true
  if (name === 'additionalProperties') return typeof member === 'boolean'
  return name === 'properties' && Object.keys(member).length === 0
}

/** The first thing in which two views differ; undefined when there is none. */
export function differenceOf(before, after, path = '') {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
    return before === after ? undefined : `${path}: ${JSON.stringify(before)} ≠ ${JSON.stringify(after)}`
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const found = differenceOf(before[name], after[name], `${path}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}
