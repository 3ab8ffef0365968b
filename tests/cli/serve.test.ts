import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { GANTRY, openWorkshop, serverWith, type Workshop } from './support/gantry.ts'

let shop: Workshop
let taken: Server | undefined
beforeEach(async () => {
  shop = await openWorkshop()
  await shop.write('server.mjs', serverWith('one'))
  await shop.write('gantry.yaml', 'mcpServers:\n  words: { command: node, args: [server.mjs] }\n')
})
afterEach(async () => {
  taken?.close()
  taken = undefined
  await shop.close()
})

async function takePort(): Promise<number> {
  taken = createServer((_, response) => response.end('somebody else')).listen(0, '127.0.0.1')
  await once(taken, 'listening')
  return (taken.address() as AddressInfo).port
}

describe('a configuration that was found and accepted', () => {
  const changed = (): string =>
    `mcpServers: { words: { command: node, args: [server.mjs] }, more: { command: node, args: [-e, "require('fs').writeFileSync('ran', '')"], start: eager } }\n`

  it('is not followed to what was not accepted, and is followed to what was', async () => {
    const serve = shop.start('serve', '--port', '0')
    await serve.endpoint()
    await writeFile(join(shop.dir, 'gantry.yaml'), changed())
    await expect.poll(() => serve.err, { timeout: 20_000 }).toContain('it has changed since')
    expect(serve.err).not.toContain('is in use')
    expect(existsSync(join(shop.dir, 'ran'))).toBe(false)
    await shop.write('gantry.yaml', `${changed()}# accepted\n`)
    await expect.poll(() => serve.err, { timeout: 20_000 }).toContain('more is new')
    await expect.poll(() => existsSync(join(shop.dir, 'ran')), { timeout: 20_000 }).toBe(true)
  })

  it('is followed when it was named', async () => {
    const serve = shop.start('serve', '--port', '0', '--config', 'gantry.yaml')
    await serve.endpoint()
    await writeFile(join(shop.dir, 'gantry.yaml'), changed())
    await expect.poll(() => serve.err, { timeout: 20_000 }).toContain('more is new')
  })
})

describe('what is printed when the gateway itself fails', () => {
  const SECRET = 'pl4nted-crash-key'
  const words = { command: 'node', args: ['server.mjs'], env: { API_KEY: SECRET } }
  const expectClean = (err: string): void => {
    expect(err).not.toContain('pl4nted')
    expect(err).not.toMatch(/^forged/m)
    expect(err).not.toMatch(/^\s+at /m)
  }

  it.each(['throw error', 'Promise.reject(error)'])(
    'in a crash (%s) is one line, without secrets',
    async (how) => {
      await shop.write(
        'bad.mjs',
        `export default () => {
        const error = Object.assign(new Error('no ${SECRET}\\nforged line\\u001b[2J'), { key: '${SECRET}' })
        setTimeout(() => { ${how} }, 10)
        return new Promise(() => {})
      }`,
      )
      const bad = { module: './bad.mjs', start: 'eager' }
      await shop.write('gantry.yaml', JSON.stringify({ mcpServers: { words, bad } }))
      const { code, err } = await shop.run('serve', '--port', '0')
      expect(code).toBe(1)
      expectClean(err)
      expect(err.split('\n').filter((line) => line.includes('The gateway crashed'))).toEqual([
        expect.stringMatching(/detail=.*Error: no \[redacted\]\\nforged line/),
      ])
    },
  )

  it('at its start is clean as well', async () => {
    const config = { mcpServers: { words }, server: { host: `${SECRET}.invalid` } }
    await shop.write(
      'gantry.yaml',
      JSON.stringify({ ...config, auth: { apiKeys: [{ name: 'a', key: 'a'.repeat(32) }] } }),
    )
    const { code, err } = await shop.run('serve', '--port', '0')
    expect(code).toBe(1)
    expectClean(err)
    expect(err).toContain('is not an address of this machine')
  })
})

describe('gantry serve', () => {
  it('serves the configuration until it is told to stop, and ends with 0', async () => {
    const gateway = shop.start('serve', '--port', '0')
    await gateway.says(/Gantry serves 1 target of gantry\.yaml[\s\S]*Press Ctrl\+C/)
    const client = await connect(await gateway.endpoint())
    expect((await client.call('words_one')).text()).toBe('one')
    await client.close()
    expect((await gateway.stop('SIGINT')).code).toBe(0)
  })

  it('has a console whose address stays, until a new token is made', async () => {
    const first = shop.start('serve', '--port', '0')
    const [, printed] = await first.says(/Console +\S+#token=(\S+)/)
    const found = await shop.run('console', '--no-open')
    expect(found.out).toContain(`/console/#token=${printed}\n`)
    const renewed = await shop.run('console', '--new-token')
    expect(renewed.out).toMatch(/#token=\S+\n/)
    expect(renewed.out).not.toContain(printed)
    await first.stop('SIGINT')
    expect((await shop.run('console')).err).toContain('gantry serve')
    const second = shop.start('serve', '--port', '0')
    const [, again] = await second.says(/Console +\S+#token=(\S+)/)
    expect(renewed.out).toContain(`#token=${again}\n`)
    await second.stop('SIGINT')
  })

  it('lets in who has a key, and tells the others what to send', async () => {
    const keys = [
      { name: 'ops', key: 'o'.repeat(32), scopes: ['gantry:admin'] },
      { name: 'app', key: 'a'.repeat(32) },
    ]
    const target = { command: 'node', args: ['server.mjs'] }
    await shop.write(
      'gantry.yaml',
      JSON.stringify({ mcpServers: { words: target }, server: { host: '0.0.0.0' }, auth: { apiKeys: keys } }),
    )
    const gateway = shop.start('serve', '--port', '0')
    await gateway.says(/"headers":\{"Authorization":"Bearer KEY"\}/)
    const url = (await gateway.endpoint()).replace(/\/mcp$/, '')
    const stranger = await shop.run('tools')
    expect([stranger.code, stranger.err]).toEqual([1, expect.stringMatching(/refuses[\s\S]*GANTRY_TOKEN/)])
    const run = async (key: string) => {
      const other = await openWorkshop({ GANTRY_URL: url, GANTRY_TOKEN: key })
      try {
        return await other.run('tools')
      } finally {
        await other.close()
      }
    }
    expect((await run(keys[1]!.key)).err).toContain('key:app may not administer the gateway')
    expect(await run(keys[0]!.key)).toMatchObject({ code: 0, out: 'words_one  Says it\n' })
  })

  it('says that a port is in use, whether the flag or the file asks for it', async () => {
    const port = await takePort()
    for (const args of [
      ['--port', String(port)],
      ['--config', 'other.json'],
    ]) {
      await shop.write('other.json', JSON.stringify({ server: { port } }))
      const { code, err, out } = await shop.run('serve', ...args)
      expect([code, out]).toEqual([1, ''])
      expect(err).toContain(`error Port ${port} on 127.0.0.1 is in use\n`)
      expect(err).toContain('--port 0')
    }
  })

  it('recognises a gateway on the port that it wants', async () => {
    const first = shop.start('serve', '--port', '0')
    const port = new URL(await first.endpoint()).port
    const { code, err } = await shop.run('serve', '--port', port)
    expect([code, err]).toEqual([1, expect.stringContaining('is in use, by a gateway as it seems')])
  })

  it.each([
    [
      'a file that is missing',
      'none.yaml',
      undefined,
      /none\.yaml error The configuration file does not exist/,
    ],
    ['a folder', '.', undefined, /This is a folder/],
    ['broken YAML', 'bad.yaml', 'mcpServers:\n  a: [1,\n', /bad\.yaml:3:1 error[\s\S]*fix Close it with \]/],
    [
      'an unknown key',
      'bad.json',
      '{"mcpServers":{"a":{"comand":"x"}}}',
      /\^{8}\n[\s\S]*Did you mean "command"/,
    ],
    ['an open door', 'open.json', '{"server":{"host":"0.0.0.0"}}', /Other machines can reach 0\.0\.0\.0/],
  ])('refuses %s: in words, and as JSON', async (_, name, text, message) => {
    if (text !== undefined) await shop.write(name, text)
    const said = await shop.run('serve', '--config', name)
    expect([said.code, said.out, said.err]).toEqual([2, '', expect.stringMatching(message)])
    const { code, out, err } = await shop.run('serve', '--config', name, '--json')
    expect([code, err]).toEqual([2, ''])
    expect(JSON.parse(out)).toMatchObject({ ok: false, problems: [{ severity: 'error' }] })
  })

  it('announces itself as JSON', async () => {
    const gateway = shop.start('serve', '--port', '0', '--json')
    await gateway.says(/\}\n$/)
    const { url, endpoint, console } = JSON.parse(gateway.out)
    expect([endpoint, console]).toEqual([`${url}/mcp`, expect.stringContaining(`${url}/console/#token=`)])
  })

  it('takes up changes of the configuration and says what they did, or why they are not taken up', async () => {
    const gateway = shop.start('serve', '--port', '0')
    await gateway.says(/Ctrl/)
    const words = 'mcpServers:\n  words: { command: node, args: [server.mjs] }\n'
    await shop.write('gantry.yaml', `${words}  more: { command: node, args: [server.mjs] }\n`)
    await expect.poll(() => gateway.err).toContain('The new configuration is in use: more is new')
    await shop.write('gantry.yaml', `${words}  more: { comand: node }\n`)
    await expect
      .poll(() => gateway.err)
      .toContain('not taken up: line 3: Unknown key "comand" in "more" (Did you mean "command"?)')
    const client = await connect(await gateway.endpoint())
    expect((await client.call('more_one')).text()).toBe('one')
    await shop.write('gantry.yaml', `${words}server: { name: other }\n`)
    await expect.poll(() => gateway.err).toContain('"server" is read when the gateway starts: restart it')
    expect(gateway.err).toContain('more is gone')
    await client.close()
  })

  it('lets calls of targets that did not change go on while the configuration changes', async () => {
    const slow = "app.tool('slow', { run: () => new Promise((done) => setTimeout(done, 1500, 'done')) })"
    await shop.write('slow.mjs', serverWith('pid').replace('await serve', `${slow}\nawait serve`))
    const target = 'mcpServers:\n  slow: { command: node, args: [slow.mjs] }\n'
    await shop.write('gantry.yaml', `${target}  words: { command: node, args: [server.mjs] }\n`)
    const gateway = shop.start('serve', '--port', '0')
    const client = await connect(await gateway.endpoint())
    const call = client.call('slow_slow')
    await shop.write('gantry.yaml', `${target}  more: { command: node, args: [server.mjs] }\n`)
    await expect.poll(() => gateway.err).toContain('in use: more is new, words is gone')
    expect((await call).text()).toBe('done')
    expect((await client.call('more_one')).text()).toBe('one')
    await client.close()
  })

  it('on stdio takes no port that clients of the real gateway were told', async () => {
    const port = await takePort()
    await shop.write(
      'gantry.yaml',
      `mcpServers: { words: { command: node, args: [server.mjs] } }\nserver: { port: ${port} }\n`,
    )
    const args = [GANTRY, 'serve', '--stdio']
    const client = await connect(
      stdio({ command: process.execPath, args, cwd: shop.dir, env: { HOME: shop.dir } }),
    )
    expect((await client.call('words_one')).text()).toBe('one')
    await client.close()
  })
})

describe('other commands', () => {
  it('go on finding the first gateway when a second comes and goes', async () => {
    const first = shop.start('serve', '--port', '0')
    const { port } = new URL(await first.endpoint())
    await first.says(/Ctrl/)
    const second = shop.start('serve', '--port', '0')
    await second.says(/Ctrl/)
    await second.stop()
    const { code, out } = await shop.run('targets', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out).targets[0].endpoint).toContain(`:${port}/`)
  })

  it('ask the targets for real when no gateway runs, whatever an earlier run left', async () => {
    expect(await shop.run('tools')).toMatchObject({ code: 0, out: 'words_one  Says it\n', err: '' })
    await shop.write('server.mjs', serverWith('one', 'two'))
    const { out, err } = await shop.run('tools')
    expect([out, err]).toEqual(['words_one  Says it\nwords_two  Says it\n', ''])
    expect((await shop.run('targets')).out).toMatch(/words +ready +modern 2026-07-28 stdio +2 tools/)
  })

  it('start the one target that they need, once it is known what the others offer', async () => {
    const noted = serverWith('one').replace('await serve', 'console.error("up"); await serve')
    const log = "import { appendFileSync } from 'node:fs'\nappendFileSync(process.argv[2], 'up\\n')\n"
    await shop.write('noted.mjs', log + noted)
    const target = (name: string) => `  ${name}: { command: node, args: [noted.mjs, ${name}.log] }\n`
    await shop.write('gantry.yaml', `mcpServers:\n${target('a')}${target('b')}`)
    const starts = async (name: string) =>
      (await readFile(join(shop.dir, `${name}.log`), 'utf8')).split('\n').length - 1
    expect((await shop.run('tools')).out).toMatch(/a_one[\s\S]*b_one/)
    const before = await starts('b')
    expect((await shop.run('call', 'a_one')).out).toBe('one\n')
    expect([await starts('a'), await starts('b')]).toEqual([before + 1, before])
  })

  it('say what each rule says of a call', async () => {
    const rule = `{ name: loud, deny: ["tools:words/one"], when: 'args.text == "loud" && principal.subject == "ann"' }`
    await shop.write(
      'gantry.yaml',
      `mcpServers: { words: { command: node, args: [server.mjs] } }\npolicy: { rules: [${rule}] }\n`,
    )
    const why = (as: string, args: string) => shop.run('why', 'words_one', '--as', as, '--args', args)
    const denied = await why('key:ann', '{"text":"loud"}')
    expect([denied.code, denied.out]).toEqual([1, expect.stringMatching(/loud.*denies/)])
    expect((await why('key:ann', '{"text":"low"}')).out).toMatch(/loud.*does not hold/)
    expect((await why('key:bob', '{"text":"loud"}')).code).toBe(0)
    expect((await why('key:ann', '[1]')).code).not.toBe(0)
  })

  it('have exit codes that scripts can rely on', async () => {
    expect((await shop.run('call', 'words_one')).code).toBe(0)
    expect(await shop.run('call', 'words_none')).toMatchObject({
      code: 1,
      err: expect.stringContaining('gantry why words_none'),
    })
    expect((await shop.run('call', 'words_one', '{')).code).toBe(2)
    expect((await shop.run('why', 'words_one')).code).toBe(0)
    expect((await shop.run('why', 'words_none')).code).toBe(1)
    expect((await shop.run('targets', 'restart', 'words')).err).toContain('No gateway is running')
    const { code, out } = await shop.run('call', 'words_none', '--json')
    expect([code, JSON.parse(out)]).toEqual([1, { ok: false, error: expect.anything() }])
  })

  it('say which gateways there are when it is not clear which is meant', async () => {
    await rm(join(shop.dir, 'gantry.yaml'))
    await shop.write('a.mjs', serverWith('a'))
    for (const file of ['a.mjs', 'server.mjs']) await shop.start('dev', file, '--port', '0').says(/is ready/)
    const { code, err } = await shop.run('tools')
    expect(code).toBe(2)
    expect(err).toMatch(
      /2 gateways are running[\s\S]*http:\S+ \((a|server)\.mjs\), http:\S+ \((a|server)\.mjs\)/,
    )
  })
})
