import { networkInterfaces } from 'node:os'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../packages/gateway/src/config/index.ts'
import { startGateway } from '../../packages/gateway/src/main.ts'
import { modelOf, testGateway } from '../support/start-gateway.ts'

const KEY = { name: 'ann', key: 'a-long-key-for-tests-0123456789' }

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function freePort(): Promise<number> {
  const gateway = await testGateway({})
  const { port } = new URL(gateway.url)
  await gateway.close()
  return Number(port)
}

describe('the address that the gateway listens on', () => {
  it.each([
    ['in the file', '{"server":{"host":""}}', undefined],
    ['of blanks', '{"server":{"host":"  "}}', undefined],
    ['by an unset variable', '{"server":{"host":"${env:NO_SUCH_VARIABLE_HERE:-}"}}', undefined],
    ['on the command line', '{}', ''],
    ['of blanks on the command line', '{}', ' '],
    [
      'with a key for everybody',
      `{"server":{"host":""},"auth":{"apiKeys":[${JSON.stringify(KEY)}]}}`,
      undefined,
    ],
  ])('is never empty: %s', async (_, text, host) => {
    const result = await parseConfig(text, { overrides: { host } })
    if (result.ok) throw new Error('it was accepted')
    expect(result.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(/^server\.host: .*empty/),
    ])
  })

  it.each(['0', '0.0.0.0', '::', '[::]', '::ffff:0.0.0.0', '::0', '0x0', 'example.test', '10.0.0.1'])(
    '%s needs credentials',
    async (host) => {
      const result = await parseConfig('{}', { overrides: { host } })
      expect(result.ok).toBe(false)
    },
  )

  it.each(['127.0.0.1', '127.5.6.7', 'localhost', '::1', '[::1]', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1'])(
    '%s does not',
    async (host) => {
      const result = await parseConfig('{}', { overrides: { host } })
      expect(result).toMatchObject({ ok: true, model: { server: { loopback: true } } })
    },
  )

  // A name such as localhost may lead anywhere: the address that was bound decides.
  it.each(['0.0.0.0', '0', '::', ''])('is closed again when a name leads to "%s"', async (host) => {
    const port = await freePort()
    const model = await modelOf({ server: { host: 'localhost' } }, port)
    const elsewhere = { ...model, server: { ...model.server, host } }
    await expect(startGateway({ model: elsewhere, logLevel: 'error' })).rejects.toThrow(
      /not a loopback address.*auth/s,
    )
    expect(await isOpen('127.0.0.1', port)).toBe(false)
  })

  it('serves on loopback only by default, whatever the spelling', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one && !one.internal && one.family === 'IPv4')?.address
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.2']) {
      const gateway = await testGateway({ server: { host } })
      const { hostname, port } = new URL(gateway.url)
      expect(hostname).toBe(host)
      expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
      if (outside !== undefined) expect(await isOpen(outside, Number(port))).toBe(false)
      await gateway.close()
    }
  })

  it('says where it is bound, with credentials on every interface', async () => {
    const gateway = await testGateway({ server: { host: '0.0.0.0' }, auth: { apiKeys: [KEY] } })
    expect(gateway.bound).toMatchObject({ address: '0.0.0.0', loopback: false })
    expect(gateway.adminToken).toBeUndefined()
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
    await gateway.close()
  })
})
