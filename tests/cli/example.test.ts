import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from './support/gantry.ts'

const CONFIG = fileURLToPath(new URL('../../examples/gateway/gantry.yaml', import.meta.url))

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(() => shop.close())

it('examples/gateway is a good configuration, and does what its comments say', async () => {
  const check = await shop.run('check', CONFIG, '--strict')
  expect([check.code, check.err]).toEqual([0, ''])
  const { code, out } = await shop.run('tools', '--config', CONFIG)
  expect(code).toBe(0)
  const names = out.split('\n').map((line) => line.split(' ')[0])
  expect(names).toEqual(expect.arrayContaining(['echo_echo', 'notes_sum_up', 'notes_list', 'pets_list']))
  for (const hidden of ['notes_reindex', 'notes_summarise', 'notes_delete', 'pets_addPet', 'pets_listPets']) {
    expect(names).not.toContain(hidden)
  }
  expect(out).toContain('Lists every note with its title')
  const why = await shop.run('why', 'notes_delete', '--config', CONFIG)
  expect([why.code, why.out]).toEqual([1, expect.stringContaining('notes stay')])
  const call = await shop.run('call', 'echo_echo', '--arg', 'text=hello', '--config', CONFIG)
  expect(call).toMatchObject({ code: 0, out: 'hello\n' })
})
