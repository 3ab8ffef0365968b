import { expect, it } from 'vitest'
import { Client } from '../client/index.ts'
import { Server } from '../server/index.ts'
import { requireExtensionNames } from './extension-names.ts'

it.each(['com.example/x', 'io.modelcontextprotocol/tasks', 'a/b_c.d-e', 'X-1.y/Z'])('accepts %s', (name) => {
  requireExtensionNames({ [name]: {} })
})

it.each([
  '',
  'x',
  '/x',
  'com.example/',
  'com..example/x',
  '1.example/x',
  'com.example-/x',
  'com.example/-x',
  'a/b/c',
])('refuses "%s"', (name) => {
  expect(() => requireExtensionNames({ [name]: {} })).toThrow('needs a prefix')
})

it('is asked of servers and clients', () => {
  const capabilities = { extensions: { plain: {} } }
  expect(() => new Server({ name: 'x', capabilities })).toThrow('com.example/plain')
  expect(() => new Server({ name: 'x' }).extension('plain')).toThrow('com.example/plain')
  expect(() => new Client({ capabilities })).toThrow('com.example/plain')
})

it('roots of a client that are no files are refused at once', () => {
  expect(() => new Client({ roots: [{ uri: '/home' }] })).toThrow('not a file:// URI')
})
