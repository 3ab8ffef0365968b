import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { run } from '../../packages/gateway/src/cli/captured-io.test.support.ts'
import { adminGateway } from '../support/admin-gateway.ts'

const OFFICIAL = fileURLToPath(new URL('../fixtures/official-server.mjs', import.meta.url))

it('counts the bytes of what servers of both eras answer', async () => {
  const gateway = await adminGateway({
    mcpServers: { old: { command: process.execPath, args: [OFFICIAL] }, demo: { module: 'gantry:demo' } },
  })
  onTestFinished(() => gateway.close())
  await using client = await connect(`${gateway.url}/mcp`)
  await client.call('old_failing', { why: 'x'.repeat(5000) })
  await client.call('demo_list_notes', {})
  const env = { GANTRY_URL: gateway.url, GANTRY_TOKEN: gateway.adminToken }
  const { tools } = (
    await run({ platform: 'linux', home: gateway.dir, env, cwd: gateway.dir }, ['top', '--json'])
  ).json() as { tools: { name: string; bytesIn: number; bytesOut: number }[] }
  const old = tools.find(({ name }) => name === 'failing')!
  expect(old.bytesIn).toBeGreaterThan(5000)
  expect(old.bytesOut).toBeGreaterThan(5000)
  expect(tools.find(({ name }) => name === 'list_notes')!.bytesOut).toBeGreaterThan(10)
})
