import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorkshop, serverWith, type Workshop } from './support/gantry.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(() => shop.close())

/** A server of the older era that refuses everything before `notifications/initialized`, and prints as it starts. */
const STRICT = `console.log('starting up')
let isInitialized = false
const { createInterface } = await import('node:readline')
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const answer = (rest) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...rest }))
  if (method === 'initialize')
    answer({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } })
  else if (method === 'notifications/initialized') isInitialized = true
  else if (method === 'tools/list' && isInitialized) answer({ result: { tools: [{ name: 't', inputSchema: { type: 'object' } }] } })
  else if (id !== undefined) answer({ error: { code: -32601, message: isInitialized ? 'no' : 'not initialized' } })
}
`

const SERVERS = {
  'never.mjs': 'process.stdin.resume()',
  'crash.mjs': "console.error('Error: DATABASE_URL is not set'); process.exit(3)",
  'garbage.mjs': "console.log('Welcome!'); process.stdin.on('data', () => console.log('eh?'))",
  'strict.mjs': STRICT,
  'good.mjs': serverWith('one'),
}

describe('gantry doctor', () => {
  it('says of each server which step failed, what it means and what to do', async () => {
    for (const [name, text] of Object.entries(SERVERS)) await shop.write(name, text)
    const http = createServer((request, response) => {
      response.writeHead(Number(request.url!.slice(1))).end('no')
    }).listen(0, '127.0.0.1')
    await once(http, 'listening')
    const url = (status: number) => `http://127.0.0.1:${(http.address() as AddressInfo).port}/${status}`
    const node = (file: string) => ({ command: 'node', args: [file] })
    await shop.write(
      'gantry.json',
      JSON.stringify({
        defaults: { timeouts: { start: '4s' } },
        mcpServers: {
          never: node('never.mjs'),
          crash: node('crash.mjs'),
          garbage: node('garbage.mjs'),
          strict: node('strict.mjs'),
          good: node('good.mjs'),
          gone: { command: 'no-such-program' },
          nofile: node('none.mjs'),
          login: { url: url(401) },
          nothing: { url: url(404) },
          off: { command: 'x', enabled: false },
        },
      }),
    )
    const { code, out } = await shop.run('doctor')
    http.close()
    expect(code).toBe(1)
    const about = (name: string): string => new RegExp(`[✓✗] ${name} [\\s\\S]*?\\n\\n`).exec(out)?.[0] ?? ''
    expect(about('good')).toMatch(/^✓ good[\s\S]*✓ list .*1 tool, 0 prompts/)
    expect(about('strict')).toMatch(
      /✓ initialize[\s\S]*✓ response[\s\S]*✓ initialized[\s\S]*✓ list[\s\S]*warning It wrote text to stdout/,
    )
    expect(about('never')).toMatch(/✗ probe[\s\S]*It did not answer[\s\S]*raise "timeouts\.start"/)
    expect(about('crash')).toMatch(/exit code 3[\s\S]*variable DATABASE_URL[\s\S]*stderr {2}Error/)
    expect(about('garbage')).toMatch(/wrote text to stdout[\s\S]*console\.error/)
    expect(about('gone')).toMatch(/✗ spawn[\s\S]*command not found[\s\S]*which no-such-program/)
    expect(about('nofile')).toMatch(/It lacks a file or package: .*none\.mjs/)
    expect(about('login')).toMatch(/HTTP 401[\s\S]*"Authorization": "Bearer/)
    expect(about('nothing')).toMatch(/HTTP 404[\s\S]*Correct the path of the URL/)
    expect(out).not.toContain('off ')
  })

  it('looks over a server that is in no configuration: a command, or a URL', async () => {
    await shop.write('good.mjs', serverWith('one'))
    const command = await shop.run('doctor', '--call', 'one', '--', 'node', 'good.mjs', '--flag')
    expect([command.code, command.out]).toEqual([
      0,
      expect.stringMatching(/✓ node {2}node good\.mjs --flag[\s\S]*✓ call/),
    ])
    const address = await shop.run('doctor', 'http://127.0.0.1:9/mcp', '--json')
    expect(address.code).toBe(1)
    expect(JSON.parse(address.out)).toMatchObject({
      ok: false,
      targets: [{ status: 'failed', understoodAs: { kind: 'url' } }],
    })
  })

  it('waits for a launcher that installs for longer than one question to the gateway lasts, and says so', async () => {
    const good = await shop.write('good.mjs', serverWith('one'))
    // What is installed starts at once the next time.
    const install = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1; done; touch "$0.installed"'
    const npx = await shop.write(
      'npx',
      `#!/bin/sh\n[ -f "$0.installed" ] || { ${install}; }\nexec node '${good}'\n`,
    )
    await chmod(npx, 0o755)
    const entry = { command: npx, args: ['-y', 'some-server'], timeouts: { start: '2s' } }
    await shop.write('gantry.json', JSON.stringify({ mcpServers: { slow: entry } }))
    const { code, out } = await shop.run('doctor')
    expect(out).toMatch(/^✓ slow[\s\S]*✓ list .*1 tool[\s\S]*still being installed after 2000 ms/)
    expect(code).toBe(0)
  })

  it('names the targets when there is no such one', async () => {
    await shop.write('gantry.json', '{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}')
    const { code, err } = await shop.run('doctor', 'c')
    expect([code, err]).toEqual([1, 'error There is no target "c"\nfix   Targets: a, b.\n'])
  })
})
