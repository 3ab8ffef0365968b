import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eras } from '@gantry/mcp/testing'
import { server } from './server.ts'

// `eras` runs each test with an older client, with a newer one, and with one whose re-runs are watched.

test('add adds', () =>
  eras(server, async ({ client }) => {
    assert.deepEqual(await client.tools.add({ a: 2, b: 3 }), { sum: 5 })
  }))

test('greet asks for a name', () =>
  eras(server, async ({ client, answers }) => {
    answers.accept({ name: 'Ada' })
    assert.equal((await client.call('greet')).text(), 'Hello, Ada!')
  }))
