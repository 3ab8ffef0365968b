import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const LOADER = new URL('../../../../../scripts/lib/typescript-loader.mjs', import.meta.url).href
const CLIENT = new URL('./thread-client.ts', import.meta.url).href

it('a thread that nobody has asked for anything does not keep its process', async () => {
  const script = `import { storeThread } from ${JSON.stringify(CLIENT)}; storeThread(); setTimeout(() => {}, 1500)`
  const child = spawn(process.execPath, ['--import', LOADER, '--input-type=module', '-e', script], {
    stdio: 'ignore',
    timeout: 20_000,
  })
  expect(await once(child, 'exit')).toEqual([0, null])
})
