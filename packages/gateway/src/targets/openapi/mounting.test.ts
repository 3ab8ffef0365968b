import { fileURLToPath } from 'node:url'
import { connect } from '@gantry/mcp/client'
import { memory } from '@gantry/mcp/memory'
import { Server } from '@gantry/mcp/server'
import { expect, it } from 'vitest'
import { startEchoApi } from './echo-api.test.support.ts'
import { openApi } from './index.ts'

it.each(['legacy', 'modern'] as const)('a server of the SDK mounts an API for a %s client', async (era) => {
  await using api = await startEchoApi()
  api.answer = (_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 7, name: 'Rex' }))
    return true
  }
  const document = fileURLToPath(new URL('fixtures/petstore.yaml', import.meta.url))
  const pets = await openApi({ document, baseUrl: api.url })
  const app = new Server({ name: 'shop', tools: { own: { run: () => 'own' } } }).mount('pets', pets)
  await using client = await connect(memory(app), { era })
  const names = (await client.listTools().all()).map(({ name }) => name)
  expect(names).toEqual(['own', ...pets.tools.map(({ name }) => `pets_${name}`)])
  expect((await client.call('pets_addPet', { name: 'Rex' })).json()).toMatchObject({ id: 7 })
  expect((await client.call('own')).text()).toBe('own')
  await expect(client.call('pets_ghost')).rejects.toMatchObject({ message: 'Unknown tool: pets_ghost' })
  pets.close()
})
