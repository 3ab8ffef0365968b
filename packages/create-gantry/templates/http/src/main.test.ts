import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { connect } from '@gantry/mcp/client'
import type { App } from './server.ts'

test('the program serves clients over HTTP, and ends when it is told to', async () => {
  const program = spawn(process.execPath, ['dist/main.js'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(program.stdout), 'line')) as [string]
  const client = await connect<App>(line.replace('Listening on ', ''))
  assert.deepEqual(await client.tools.add({ a: 2, b: 3 }), { sum: 5 })
  await client.close()
  program.kill()
  await once(program, 'close')
})
