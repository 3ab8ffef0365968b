// The client that the official conformance suite examines. The referee runs it once per scenario:
// MCP_CONFORMANCE_SCENARIO=… node conformance/client.mjs URL
import { authScenarios } from './fixture/auth-scenarios.mjs'
import { clientScenarios } from './fixture/client-scenarios.mjs'
import { skillScenarios } from './fixture/skill-scenarios.mjs'

const scenarios = new Map(Object.entries({ ...clientScenarios, ...authScenarios, ...skillScenarios }))

const name = process.env.MCP_CONFORMANCE_SCENARIO
const scenario = scenarios.get(name)
if (!scenario) {
  console.error(`There is no scenario '${name}'.`)
  process.exit(1)
}

await scenario({
  url: process.argv[2],
  protocolVersion: process.env.MCP_CONFORMANCE_PROTOCOL_VERSION,
  context: JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'),
})
