import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rawTarget } from '../support/raw-target.ts'

const GATEWAY = fileURLToPath(new URL('../../packages/gateway/dist/cli/gantry.js', import.meta.url))
const REQUESTS = 10_000
const HIGHEST_MEGABYTES = 400

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** Every other one goes to the target. */
const request = (id: number) => {
  const call = id % 2 === 0
  const method = call ? 'tools/call' : 'tools/list'
  const params = call ? { name: 'raw_pid', arguments: {}, _meta: meta } : { _meta: meta }
  return { method, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }
}

describe.skipIf(!existsSync(GATEWAY))('10,000 requests at once to a gateway in a process of its own', () => {
  let dir: string
  let child: ChildProcess
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gantry-flood-'))
    const config = { mcpServers: { raw: rawTarget({}) }, stateDir: dir }
    await writeFile(join(dir, 'gantry.json'), JSON.stringify(config))
  })
  afterEach(async () => {
    await end()
    await rm(dir, { recursive: true, force: true })
  })

  /** Asks it to end; its exit code. Its input stays open. */
  async function end(): Promise<number | null> {
    child.kill()
    if ((child.exitCode ?? child.signalCode) === null) {
      await new Promise((resolve) => child.once('exit', resolve))
    }
    return child.exitCode
  }

  function serve(...args: string[]): void {
    const command = [GATEWAY, 'serve', '--config', join(dir, 'gantry.json'), '--port', '0', ...args]
    child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'ignore'] })
  }
  const megabytes = (): number =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)]).toString()) / 1024

  it('over stdio: every one is answered once, and memory stays bounded', async () => {
    serve('--stdio')
    const answers = new Map<number, number>()
    const all = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout! }).on('line', (line) => {
        const { id } = JSON.parse(line)
        answers.set(id, (answers.get(id) ?? 0) + 1)
        if (answers.size === REQUESTS) resolve()
      })
    })
    const lines = Array.from({ length: REQUESTS }, (_, id) => `${request(id).body}\n`)
    child.stdin!.write(lines.join(''))
    await all
    expect([...answers.values()].every((count) => count === 1)).toBe(true)
    expect(megabytes()).toBeLessThan(HIGHEST_MEGABYTES)
    expect(await end()).toBe(0)
  })

  // On a slow machine more than 1000 of them are under way at once; those are refused, in turn as well.
  it('down one HTTP connection: every one is answered in turn', async () => {
    serve('--json')
    const [first] = (await new Promise<Buffer>((resolve) => child.stdout!.once('data', resolve)))
      .toString()
      .split('\n{')
    const { port } = new URL(JSON.parse(first!).endpoint)
    const socket = connectSocket(Number(port), '127.0.0.1')
    const text = Array.from({ length: REQUESTS }, (_, id) => {
      const { method, body } = request(id)
      const name = method === 'tools/call' ? 'mcp-name: raw_pid\r\n' : ''
      return (
        `POST /mcp HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\n` +
        `accept: application/json\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: ${method}\r\n${name}` +
        `content-length: ${body.length}\r\n\r\n${body}`
      )
    })
    const ids: number[] = []
    const all = new Promise<void>((resolve, reject) => {
      let rest = ''
      socket.on('error', reject).on('close', () => reject(new Error(`closed after ${ids.length} answers`)))
      socket.setEncoding('utf8').on('data', (chunk) => {
        const found = `${rest}${chunk}`.split(/HTTP\/1\.1 (?:200 OK|429 Too Many Requests)/)
        rest = found.pop() ?? ''
        for (const one of found) if (one !== '') ids.push(Number(/"id":(\d+)/.exec(one)?.[1]))
        if (ids.length === REQUESTS - 1) resolve()
      })
    })
    socket.write(text.join(''))
    await all
    socket.destroy()
    expect(ids).toEqual(Array.from({ length: REQUESTS - 1 }, (_, id) => id))
    expect(megabytes()).toBeLessThan(HIGHEST_MEGABYTES)
  })
})
