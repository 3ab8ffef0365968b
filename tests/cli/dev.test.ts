import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { until } from '../support/admin-gateway.ts'
import { GANTRY, openWorkshop, serverWith, type Running, type Workshop } from './support/gantry.ts'

let shop: Workshop
let clients: Client[] = []
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  clients = []
  await shop.close()
})

interface Listening {
  readonly client: Client
  /** How often the tools were said to have changed. */
  changes: number
}

async function listen(client: Client): Promise<Listening> {
  clients.push(client)
  const listening = { client, changes: 0 }
  client.on('toolsChanged', () => listening.changes++)
  await client.listening()
  return listening
}

async function startDev(...args: string[]): Promise<Running> {
  const dev = shop.start('dev', ...args, '--port', '0')
  await dev.says(/is ready/)
  return dev
}

const namesOf = async (client: Client): Promise<string[]> =>
  (await client.listTools().all()).map(({ name }) => name)

describe.each(['modern', 'legacy'] as const)('gantry dev with a %s client', (era) => {
  it('takes up a change while the client stays connected, and tells it', async () => {
    await shop.write('server.mjs', serverWith('one'))
    const dev = await startDev('server.mjs')
    const listening = await listen(await connect(await dev.endpoint(), { era }))
    const { client } = listening
    expect(await namesOf(client)).toEqual(['one'])
    await shop.write('server.mjs', serverWith('one', 'two'))
    await until(() => listening.changes > 0, 'The change of the tools')
    expect(await namesOf(client)).toEqual(['one', 'two'])
    expect((await client.call('two')).text()).toBe('two')
    await dev.says(/↻ server\.mjs changed[\s\S]*is ready: 2 tools[\s\S]*\+ two/)
  })

  it('says why a broken server does not run, keeps the client, and recovers with the next change', async () => {
    await shop.write('server.mjs', serverWith('one'))
    const dev = await startDev('server.mjs')
    const { client } = await listen(await connect(await dev.endpoint(), { era }))
    await shop.write('server.mjs', `${serverWith('one')}\nconst x = ;\n`)
    await dev.says(/✗ server\.mjs does not run: SyntaxError: Unexpected token ';' \(server\.mjs:7\)/)
    // The client is still there and sees what was last known. Its error names the command that tells the author more.
    expect(await namesOf(client)).toEqual(['one'])
    await expect(client.call('one')).rejects.toThrow(/exited with code 1.*gantry doctor server/)
    expect((await shop.run('doctor', 'server')).out).toContain("SyntaxError: Unexpected token ';'")
    await shop.write('server.mjs', serverWith('one', 'three'))
    await dev.says(/is ready: 2 tools/)
    expect((await client.call('three')).text()).toBe('three')
  })
})

describe('gantry dev', () => {
  it('lets a call that is under way end before the server is replaced', async () => {
    const slow = (text: string) => `import { Server } from '@gantry/mcp/server'
const app = new Server({ name: 'slow', version: '1.0.0' })
app.tool('slow', { run: () => new Promise((done) => setTimeout(() => done('${text}'), 700)) })
export default app
`
    await shop.write('server.mjs', slow('old'))
    const dev = await startDev('server.mjs')
    const { client } = await listen(await connect(await dev.endpoint()))
    const call = client.call('slow')
    await shop.write('server.mjs', slow('new'))
    await dev.says(/↻/)
    expect((await call).text()).toBe('old')
    await dev.says(/↻[\s\S]*is ready/)
    expect((await client.call('slow')).text()).toBe('new')
  })

  it('sees changes of modules that the file imports, and none of data that the server writes', async () => {
    await mkdir(join(shop.dir, 'lib'))
    await shop.write('package.json', '{ "type": "module" }')
    await shop.write('lib/word.js', "export const word = 'before'\n")
    await shop.write(
      'server.js',
      `import { writeFileSync } from 'node:fs'
import { Server } from '@gantry/mcp/server'
import { word } from './lib/word.js'
const app = new Server({ name: 'word', version: '1.0.0' })
app.tool('word', { run: () => { writeFileSync('data.json', String(Date.now())); return word } })
export default app
`,
    )
    const dev = await startDev('server.js')
    const { client } = await listen(await connect(await dev.endpoint()))
    expect((await client.call('word')).text()).toBe('before')
    await shop.write('lib/word.js', "export const word = 'after'\n")
    await dev.says(/↻ lib[\\/]word\.js changed[\s\S]*is ready/)
    expect((await client.call('word')).text()).toBe('after')
    expect(dev.out.match(/↻/g)).toHaveLength(1)
  })

  it('gives the server what the shell has, and its arguments', async () => {
    await shop.close()
    shop = await openWorkshop({ GREETING: 'ahoy ${env:HOME}' })
    await shop.write(
      'server.mjs',
      serverWith('one').replace("'one' })", 'process.env.GREETING + process.argv.slice(2) })'),
    )
    const dev = shop.start('dev', 'server.mjs', '--port', '0', '--', '--loud', '${x}')
    await dev.says(/is ready/)
    const { client } = await listen(await connect(await dev.endpoint()))
    expect((await client.call('one')).text()).toBe('ahoy ${env:HOME}--loud,${x}')
  })

  it('starts a server that crashed in a call again with the next one', async () => {
    await shop.write(
      'server.mjs',
      serverWith('one').replace(
        'await serve',
        "app.tool('die', { run: () => process.exit(3) })\nawait serve",
      ),
    )
    const dev = await startDev('server.mjs')
    const { client } = await listen(await connect(await dev.endpoint()))
    await expect(client.call('die')).rejects.toThrow(/exit(ed)? (with )?code 3/)
    await dev.says(/✗ server\.mjs ended/)
    expect((await client.call('one')).text()).toBe('one')
  })

  it('serves a client that spawns it, and keeps standard output for the protocol', async () => {
    await shop.write('server.mjs', serverWith('one'))
    const problems: unknown[] = []
    const spawned = stdio({
      command: process.execPath,
      args: [GANTRY, 'dev', 'server.mjs', '--stdio'],
      cwd: shop.dir,
      env: { HOME: shop.dir },
      onProtocolError: (error) => problems.push(error),
    })
    const listening = await listen(await connect(spawned))
    expect(await namesOf(listening.client)).toEqual(['one'])
    await shop.write('server.mjs', serverWith('one', 'two'))
    await until(() => listening.changes > 0, 'The change of the tools')
    expect(await namesOf(listening.client)).toEqual(['one', 'two'])
    expect(problems).toEqual([])
  })

  it('is found by the other commands', async () => {
    await shop.write('server.mjs', serverWith('one'))
    await startDev('server.mjs')
    expect(await shop.run('call', 'one')).toMatchObject({ code: 0, out: 'one\n' })
  })

  it('leaves nothing running when it ends', async () => {
    await shop.write('server.mjs', serverWith('one').replace("'one' })", 'String(process.pid) })'))
    const dev = await startDev('server.mjs')
    const client = await connect(await dev.endpoint())
    const pid = Number((await client.call('one')).text())
    await client.close()
    expect((await dev.stop('SIGINT')).code).toBe(0)
    expect(() => process.kill(pid, 0)).toThrow()
  })

  it.each([
    [['none.mjs'], /There is no file none\.mjs/],
    [['thing.foo'], /not known how to run[\s\S]*--with/],
    [['server.mjs', '--port', 'x'], /"x" is not a port/],
  ])('refuses %s', async (args, message) => {
    await shop.write('thing.foo', '')
    await shop.write('server.mjs', serverWith('one'))
    const { code, err } = await shop.run('dev', ...args)
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
  })

  it('explains a file that does not serve', async () => {
    await shop.write('server.mjs', 'console.error("nothing here")\n')
    const dev = shop.start('dev', 'server.mjs', '--port', '0')
    await dev.says(/│ server\.mjs ended without serving: end it with "await serveStdio\(server\)"/)
    await dev.says(/✗ server\.mjs does not run/)
  })
})
