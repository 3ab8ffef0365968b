// The server that the official conformance suite examines: every fixture, both eras, one endpoint.
// PORT=3000 node conformance/server.mjs
import { createServer } from 'node:http'
import { Server } from '@gantry/mcp/server'
import { toNodeHandler } from '@gantry/mcp/server/node'
import { askingTools } from './fixture/asking-tools.mjs'
import { addChangeTools } from './fixture/change-tools.mjs'
import { contentTools } from './fixture/content-tools.mjs'
import { inputRequiredTools } from './fixture/input-required-tools.mjs'
import { liveTools } from './fixture/live-tools.mjs'
import { logLists } from './fixture/log-lists.mjs'
import { prompts } from './fixture/prompts.mjs'
import { resources, templates } from './fixture/resources.mjs'

const app = new Server({
  name: 'mcp-conformance-test-server',
  version: '1.0.0',
  tools: { ...contentTools, ...liveTools, ...askingTools, ...inputRequiredTools },
  prompts,
  resources,
  templates,
  middleware: [logLists],
})
addChangeTools(app)

createServer(toNodeHandler(app)).listen(Number(process.env.PORT ?? 3000), 'localhost')
