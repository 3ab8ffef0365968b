import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { installServer, ZOO } from './install-server.mjs'
import { startGateway } from './start-gateway.mjs'

const PATIENCE = 120_000
const ANSWERS = {
  elicit: () => ({ action: 'decline' }),
  sample: () => ({ role: 'assistant', content: { type: 'text', text: 'zoo' }, model: 'zoo' }),
  roots: () => [],
}

/**
 * Drives one server four times: by the official client, by ours, and through the gateway by clients of both eras.
 * What the official client gets is what is right; everything else is compared with it.
 */
export async function visitServer(server) {
  const { command, args: launch, version } = await installServer(server)
  const folder = join(ZOO, 'visits', server.name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const place = (value) => JSON.parse(JSON.stringify(value).replaceAll('DIR', folder))
  const args = [...launch, ...place(server.args ?? [])]
  const env = place(server.env ?? {})
  const calls = place(server.calls)
  const expected = await attempt(() => byOfficialClient({ command, args, env, folder }, calls))
  const direct = await attempt(() => byOurClient(stdio(command, args, { env, cwd: folder }), calls))
  const gateway = await startGateway(
    { it: { command, args, env, cwd: folder, prefix: false } },
    join(folder, 'gateway'),
  )
  try {
    const legacy = await attempt(() => byOurClient(gateway.endpoint, calls, 'legacy'))
    const modern = await attempt(() => byOurClient(gateway.endpoint, calls, 'modern'))
    const views = { direct, legacy, modern }
    const verdicts = Object.fromEntries(
      Object.entries(views).map(([name, view]) => [name, compare(expected, view)]),
    )
    return {
      name: server.name,
      package: server.package,
      version,
      revision: direct.revision,
      expected,
      verdicts,
    }
  } finally {
    await gateway.close()
  }
}

async function attempt(drive) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing after ${PATIENCE / 1000} s`)), PATIENCE)
  })
  try {
    return await Promise.race([drive(), late])
  } catch (error) {
    return { failed: String(error.message ?? error).slice(0, 300) }
  } finally {
    clearTimeout(timer)
  }
}

async function byOfficialClient({ command, args, env, folder }, calls) {
  const client = new OfficialClient(
    { name: 'zoo', version: '1.0.0' },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
  )
  const transport = new StdioClientTransport({
    command,
    args,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    cwd: folder,
    stderr: 'ignore',
  })
  try {
    await client.connect(transport, { timeout: PATIENCE })
    const offers = client.getServerCapabilities() ?? {}
    const count = async (isOffered, list) => (isOffered ? await list() : [])
    const tools = await count(offers.tools, async () => (await client.listTools()).tools)
    const prompts = await count(offers.prompts, async () => (await client.listPrompts()).prompts)
    const resources = await count(offers.resources, async () => (await client.listResources()).resources)
    const results = []
    for (const [name, callArgs] of calls) {
      results.push(await settled(() => client.callTool({ name, arguments: callArgs })))
    }
    return summary({ tools, prompts, resources, results })
  } finally {
    await client.close()
  }
}

async function byOurClient(where, calls, era) {
  const client = await connect(where, { ...ANSWERS, timeout: PATIENCE, ...(era && { era }) })
  try {
    const tools = await all(client.listTools())
    const prompts = client.serverCapabilities?.prompts ? await all(client.listPrompts()) : []
    const resources = client.serverCapabilities?.resources ? await all(client.listResources()) : []
    const results = []
    for (const [name, callArgs] of calls)
      results.push(await settled(async () => (await client.call(name, callArgs)).raw))
    return summary({ tools, prompts, resources, results, revision: client.protocolVersion })
  } finally {
    await client.close()
  }
}

async function all(items) {
  const found = []
  for await (const item of items) found.push(item)
  return found
}

async function settled(call) {
  try {
    return await call()
  } catch (error) {
    return { error: error.code, message: String(error.message) }
  }
}

function summary({ tools, prompts, resources, results, revision }) {
  const names = (items) => items.map(({ name, uri }) => uri ?? name).sort()
  return {
    revision,
    tools: names(tools),
    prompts: names(prompts),
    resources: names(resources),
    results: results.map(({ isError = false, content, structuredContent, error }) => ({
      isError,
      error,
      // Times, ids and ports differ from one call to the next.
      content: JSON.stringify(inOrder(content ?? null)).replaceAll(/[\da-f]{6,}|\d+/gi, '#'),
      structured: structuredContent !== undefined,
    })),
  }
}

/** With members in one order, which means nothing in JSON. */
function inOrder(value) {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, inOrder(part)]),
  )
}

/** Nothing when both saw the same, else what differs. */
function compare(expected, seen) {
  if (seen.failed !== undefined) return expected.failed === undefined ? seen.failed : 'fails for every client'
  if (expected.failed !== undefined) return 'works, unlike with the official client'
  for (const kind of ['tools', 'prompts']) {
    const missing = expected[kind].filter((name) => !seen[kind].includes(name))
    if (missing.length > 0) return `${kind} are missing: ${missing.slice(0, 5).join(', ')}`
  }
  if (seen.resources.length < expected.resources.length) return 'resources are missing'
  const at = expected.results.findIndex(
    (one, index) => JSON.stringify(one) !== JSON.stringify(seen.results[index]),
  )
  if (at < 0) return ''
  return `call ${at + 1} differs: ${JSON.stringify(expected.results[at]).slice(0, 300)} / ${JSON.stringify(seen.results[at]).slice(0, 300)}`
}
