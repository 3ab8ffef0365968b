import { expect, it } from 'vitest'
import { ScriptedPeer } from '../../client/client-edge-peer.test.support.ts'
import { performHandshake } from './handshake.ts'

it('does not take a legacy server at its word that it has tasks; other extensions stay', async () => {
  const extensions = { 'io.modelcontextprotocol/tasks': {}, 'io.modelcontextprotocol/skills': { a: 1 } }
  const peer = new ScriptedPeer(() => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, extensions },
    serverInfo: { name: 'old', version: '1' },
  }))
  const { discovery } = await performHandshake(peer, {
    id: 1,
    info: { name: 'us', version: '1' },
    capabilities: {},
  })
  expect(discovery.capabilities).toEqual({
    tools: {},
    extensions: { 'io.modelcontextprotocol/skills': { a: 1 } },
  })
})

it('is not disturbed by an observer that throws', async () => {
  const steps: string[] = []
  const peer = new ScriptedPeer(() => ({
    protocolVersion: '2025-11-25',
    capabilities: {},
    serverInfo: { name: 'old', version: '1' },
  }))
  await performHandshake(peer, {
    id: 1,
    info: { name: 'us', version: '1' },
    capabilities: {},
    onStep: (step) => {
      steps.push(step)
      throw new Error('oops')
    },
  })
  expect(steps).toEqual(['initialize_sent', 'initialize_answered', 'initialized_sent', 'ready'])
})
