// The server that the official conformance suite examines: every fixture, both eras, one endpoint.
// PORT=3000 node conformance/server.mjs [--stdio] [--era legacy|modern]
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { skills } from '@gantry/mcp/extensions/skills'
import { loadSkills } from '@gantry/mcp/extensions/skills/node'
import { tasks } from '@gantry/mcp/extensions/tasks'
import { REVISIONS, Server } from '@gantry/mcp/server'
import { serveStdio, toNodeHandler } from '@gantry/mcp/server/node'
import { askingTools } from './fixture/asking-tools.mjs'
import { addChangeTools } from './fixture/change-tools.mjs'
import { contentTools } from './fixture/content-tools.mjs'
import { inputRequiredTools } from './fixture/input-required-tools.mjs'
import { liveTools } from './fixture/live-tools.mjs'
import { prompts } from './fixture/prompts.mjs'
import { resources, templates } from './fixture/resources.mjs'
import { taskTools } from './fixture/task-tools.mjs'

const { values } = parseArgs({ options: { stdio: { type: 'boolean' }, era: { type: 'string' } } })
const MODERN = '2026-07-28'
const revisionsOf = {
  legacy: REVISIONS.filter((revision) => revision < MODERN),
  modern: [MODERN],
}

const app = new Server({
  name: 'mcp-conformance-test-server',
  version: '1.0.0',
  tools: { ...contentTools, ...liveTools, ...askingTools, ...inputRequiredTools, ...taskTools },
  prompts,
  resources,
  templates,
  revisions: revisionsOf[values.era],
})
addChangeTools(app)
tasks(app)
// One skill a page: the suite looks whether pages come to an end.
skills(app, await loadSkills(fileURLToPath(new URL('fixture/skills', import.meta.url))), { pageSize: 1 })

if (values.stdio) await serveStdio(app)
else createServer(toNodeHandler(app)).listen(Number(process.env.PORT ?? 3000), 'localhost')
