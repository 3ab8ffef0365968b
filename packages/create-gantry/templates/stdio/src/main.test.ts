import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import type { App } from './server.ts'

test('the program serves a client that starts it', async () => {
  const client = await connect<App>(stdio(process.execPath, ['dist/main.js']))
  assert.deepEqual(await client.tools.add({ a: 2, b: 3 }), { sum: 5 })
  await client.close()
})
