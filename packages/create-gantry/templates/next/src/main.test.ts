import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@gantry/mcp/client'
import { POST } from './app/mcp/route.ts'
import type { App } from './server.ts'

test('the route serves clients', async () => {
  const client = await connect<App>('{{url}}', {
    http: { fetch: (url, init) => POST(new Request(url, init)) },
  })
  assert.deepEqual(await client.tools.add({ a: 2, b: 3 }), { sum: 5 })
  await client.close()
})
