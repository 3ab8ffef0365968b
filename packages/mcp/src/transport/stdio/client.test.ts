import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { JsonRpcResponse, McpError } from '../../jsonrpc/index.ts'
import { fixture, survivors, uniqueToken } from '../fixtures/survivors.test.node.ts'
import { SAFE_ENVIRONMENT } from '../process/environment.node.ts'
import type { StdioOptions, StdioWire } from '../process/stdio-options.ts'
import { stdio } from './client.node.ts'

const SERVER = fixture('line-server.mjs')
const opened: StdioWire[] = []

async function open(options: Partial<StdioOptions> = {}, ...flags: string[]): Promise<StdioWire> {
  const wire = await stdio({ command: process.execPath, args: [SERVER, ...flags], ...options }).open()
  opened.push(wire)
  return wire
}

let lastId = 0
function call(wire: StdioWire, method: string, params = {}, signal?: AbortSignal): Promise<JsonRpcResponse> {
  lastId += 1
  return wire.request({ jsonrpc: '2.0', id: lastId, method, params }, { signal })
}

async function resultOf(answer: Promise<JsonRpcResponse>): Promise<Record<string, unknown>> {
  const response = await answer
  if (!('result' in response)) throw new Error(JSON.stringify(response))
  return response.result
}

function errorOf(promise: Promise<unknown>): Promise<McpError> {
  return promise.then(
    () => Promise.reject(new Error('expected an error')),
    (error: McpError) => error,
  )
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((wire) => wire.close()))
})

describe('stdio: messages', () => {
  it('names itself by its command line', () => {
    const connector = stdio('npx', ['-y', 'some-server', '--say', 'two words'])
    expect(connector.kind).toBe('stdio')
    expect(connector.key).toBe('npx -y some-server --say "two words"')
  })

  it('parallel requests answered out of order each get their own answer', async () => {
    const wire = await open()
    const ids = [1, '1', 'two', 3, 4]
    const answers = ids.map((id) =>
      wire.request({ jsonrpc: '2.0', id, method: 'reorder', params: { count: 5 } }),
    )
    const results = await Promise.all(answers.map(resultOf))
    expect(results.map((result) => result.id)).toEqual(ids)
  })

  it('unknown ids, ids of another type and second answers are ignored and reported', async () => {
    const errors: McpError[] = []
    const wire = await open({ onProtocolError: (error) => errors.push(error) })
    expect(await resultOf(call(wire, 'unknown'))).toEqual({ right: true })
    await expect.poll(() => errors).toHaveLength(3)
    expect(errors.map((error) => error.code)).toEqual(['bad_response', 'bad_response', 'bad_response'])
    expect(errors[0]?.message).toContain('99999')
  })

  it('lines that are not JSON-RPC are reported and skipped, empty ones skipped', async () => {
    const errors: McpError[] = []
    const wire = await open({ onProtocolError: (error) => errors.push(error) })
    expect(await resultOf(call(wire, 'noise'))).toEqual({ ok: true })
    expect(errors.map((error) => error.code)).toEqual([
      'parse_failed',
      'parse_failed',
      'bad_response',
      'bad_response',
      'bad_response',
    ])
    expect(errors[0]?.details.line).toBe('Server ready!')
  })

  it('puts half lines together, in the middle of characters too, and takes CRLF', async () => {
    const wire = await open()
    expect(await resultOf(call(wire, 'half'))).toEqual({ text: 'ä€😀' })
  })

  it('notifications and requests of the server reach onMessage and disturb no response', async () => {
    const wire = await open()
    const messages: unknown[] = []
    wire.onMessage = (message) => messages.push(message)
    expect(await resultOf(call(wire, 'push'))).toEqual({ ok: true })
    expect(messages).toMatchObject([
      { method: 'notifications/message' },
      { method: 'roots/list', id: lastId },
    ])
  })

  it('takes 8 MB in both directions', async () => {
    const wire = await open()
    const { text } = await resultOf(call(wire, 'big', { bytes: 8_000_000 }))
    expect(text).toHaveLength(8_000_000)
    const { params } = await resultOf(call(wire, 'echo', { text: 'y'.repeat(8_000_000) }))
    expect((params as { text: string }).text).toHaveLength(8_000_000)
  })

  it('a message over the limit fails its request alone, and the connection goes on', async () => {
    const wire = await open({ maxLineBytes: 100_000 })
    const waiting = call(wire, 'reorder', { count: 2 })
    const error = await errorOf(call(wire, 'big', { bytes: 1_000_000 }))
    expect(error.code).toBe('too_large')
    expect(error.details).toMatchObject({ maxLineBytes: 100_000 })
    expect(await resultOf(call(wire, 'reorder', { count: 2 }))).toBeDefined()
    expect(await resultOf(waiting)).toBeDefined()
  })

  it('sends in order, many messages in few writes, and waits for a slow reader', async () => {
    const wire = await open()
    const sent = Array.from({ length: 500 }, () =>
      wire.send({ jsonrpc: '2.0', method: 'silent', params: { text: 'z'.repeat(1000) } }),
    )
    const answers = Array.from({ length: 500 }, (_, n) => call(wire, 'echo', { n }).then(() => n))
    await Promise.all(sent)
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 500 }, (_, n) => n))
  })

  it('an aborted signal stops the waiting, and the late answer is no mistake', async () => {
    const errors: McpError[] = []
    const wire = await open({ onProtocolError: (error) => errors.push(error) })
    const controller = new AbortController()
    const waiting = errorOf(call(wire, 'reorder', { count: 2 }, controller.signal))
    controller.abort()
    expect((await waiting).code).toBe('cancelled')
    expect((await errorOf(call(wire, 'echo', {}, controller.signal))).code).toBe('cancelled')
    await call(wire, 'reorder', { count: 2 })
    await call(wire, 'echo')
    expect(errors).toEqual([])
  })

  it('refuses an id that is already pending', async () => {
    const wire = await open()
    const first = errorOf(wire.request({ jsonrpc: '2.0', id: 'same', method: 'silent' }))
    const second = await errorOf(wire.request({ jsonrpc: '2.0', id: 'same', method: 'silent' }))
    expect(second.code).toBe('already_started')
    await wire.close()
    expect((await first).code).toBe('closed')
  })
})

describe('stdio: environment', () => {
  it('the child gets the safe variables and what is asked for, and its cwd', async () => {
    process.env.GANTRY_TEST_SECRET = 'secret'
    process.env.GANTRY_TEST_WANTED = 'wanted'
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-')))
    try {
      const options = { env: { EXTRA: '1', TERM: undefined }, inheritEnv: ['GANTRY_TEST_WANTED'], cwd }
      const wire = await open(options, 'a b', '$HOME', '"*"')
      const facts = await resultOf(call(wire, 'facts'))
      const env = facts.env as Record<string, string>
      const allowed = new Set([...SAFE_ENVIRONMENT, 'EXTRA', 'GANTRY_TEST_WANTED'])
      expect(Object.keys(env).filter((name) => !allowed.has(name))).toEqual([])
      expect(env).toMatchObject({ EXTRA: '1', GANTRY_TEST_WANTED: 'wanted', PATH: process.env.PATH })
      expect(env).not.toHaveProperty('TERM')
      expect(facts.cwd).toBe(cwd)
      expect(facts.args).toEqual(['a b', '$HOME', '"*"'])
    } finally {
      delete process.env.GANTRY_TEST_SECRET
      delete process.env.GANTRY_TEST_WANTED
      rmSync(cwd, { recursive: true })
    }
  })

  it('passes on certificates, proxies and package mirrors of the machine, unless they hold a password', async () => {
    const passed = {
      SSL_CERT_FILE: '/etc/company.pem',
      NODE_EXTRA_CA_CERTS: '/etc/company.pem',
      REQUESTS_CA_BUNDLE: '/etc/company.pem',
      HTTPS_PROXY: 'http://proxy.example:3128',
      https_proxy: 'http://proxy.example:3128',
      NO_PROXY: 'localhost,.example',
      UV_INDEX_URL: 'https://mirror.example/simple',
    }
    const withheld = {
      HTTP_PROXY: 'http://ann:secret@proxy.example:3128',
      all_proxy: 'ann:secret@proxy.example',
    }
    for (const [name, value] of Object.entries({ ...passed, ...withheld })) vi.stubEnv(name, value)
    try {
      const env = async (options: Partial<StdioOptions> = {}) =>
        (await resultOf(call(await open(options), 'facts'))).env as Record<string, string>
      const seen = await env()
      expect(seen).toMatchObject(passed)
      for (const name of Object.keys(withheld)) expect(seen).not.toHaveProperty(name)
      expect(await env({ inheritEnv: ['HTTP_PROXY'] })).toMatchObject({ HTTP_PROXY: withheld.HTTP_PROXY })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('knows the process and its tree', async () => {
    const token = uniqueToken()
    const wire = await open({ shutdown: { end: 100, term: 100 } }, token)
    const { pid } = await resultOf(call(wire, 'fork', { detached: true }))
    const tree = await wire.process.tree()
    expect(tree.map((one) => one.pid).sort()).toEqual([wire.process.pid, pid].sort())
    expect(tree.every((one) => one.rss > 1_000_000 && one.cpu >= 0 && one.command.includes(token))).toBe(true)
    expect(Math.abs(Date.now() - wire.process.startedAt)).toBeLessThan(10_000)
    await wire.close()
    expect(await wire.process.tree()).toEqual([])
    expect(survivors(token)).toEqual([])
  })
})

describe('stdio: failures', () => {
  it('a command that does not exist says so and what to check', async () => {
    const error = await errorOf(stdio('gantry-no-such-command').open())
    expect(error.code).toBe('spawn_failed')
    expect(error.message).toMatch(/"gantry-no-such-command": command not found.*PATH/)
    expect(error.details).toMatchObject({ command: 'gantry-no-such-command', code: 'ENOENT' })
  })

  it('a missing cwd, a missing file, a missing interpreter and a file that is not executable differ', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'gantry-'))
    try {
      writeFileSync(join(dir, 'script'), '#!/no/such/interpreter\n', { mode: 0o755 })
      writeFileSync(join(dir, 'plain'), 'text', { mode: 0o644 })
      const message = async (command: string, cwd?: string): Promise<string> => {
        const error = await errorOf(stdio({ command, cwd }).open())
        expect(error.code).toBe('spawn_failed')
        return error.message
      }
      expect(await message(process.execPath, join(dir, 'absent'))).toContain('working directory')
      expect(await message('./absent', dir)).toContain('no such file')
      expect(await message('./script', dir)).toContain('interpreter')
      expect(await message('./plain', dir)).toContain('permission denied')
      expect(await message(dir)).toContain('permission denied')
      expect(await message('bad\0name')).toContain('null bytes')
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  it('a server that exits at once gives its code and stderr to everything that is asked', async () => {
    const wire = await open({}, '--exit-at-start')
    const reason = new Promise<unknown>((resolve) => {
      wire.onClose = resolve
    })
    const errors = [await errorOf(call(wire, 'echo')), await reason, await errorOf(call(wire, 'echo'))]
    errors.push(await errorOf(wire.send({ jsonrpc: '2.0', method: 'x' })))
    for (const error of errors as McpError[]) {
      expect(error.code).toBe('exited')
      expect(error.message).toMatch(/exited with code 3.*\n {2}cannot start: no configuration/)
      expect(error.details).toMatchObject({
        exitCode: 3,
        signal: null,
        pid: wire.process.pid,
        stderr: ['cannot start: no configuration'],
      })
    }
  })

  it('a server killed in the middle of a call rejects all that is pending, naming the signal', async () => {
    const wire = await open()
    const closed = vi.fn()
    wire.onClose = closed
    const waiting = [errorOf(call(wire, 'silent')), errorOf(call(wire, 'silent'))]
    await call(wire, 'echo')
    process.kill(wire.process.pid, 'SIGKILL')
    for (const error of await Promise.all(waiting)) {
      expect(error).toMatchObject({ code: 'exited', details: { exitCode: null, signal: 'SIGKILL' } })
      expect(error.message).toContain('was killed by SIGKILL')
    }
    await wire.close()
    expect(closed).toHaveBeenCalledTimes(1)
    expect(closed.mock.calls[0]?.[0]).toMatchObject({ code: 'exited' })
  })

  it('an answer written just before the exit is not lost, even without a newline', async () => {
    const wire = await open()
    expect(await resultOf(call(wire, 'exit', { code: 0, answer: true }))).toEqual({ ok: true })
    const other = await open()
    expect(await resultOf(call(other, 'lastWords'))).toEqual({ ok: true })
  })

  it('a large answer written just before the exit is not lost while we are busy', async () => {
    const wire = await open({
      command: '/bin/sh',
      args: [
        '-c',
        'read line; head -c 150000 /dev/zero | tr "\\0" " "; echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":{}}"',
      ],
    })
    const answer = wire.request({ jsonrpc: '2.0', id: 1, method: 'any' })
    await new Promise((resolve) => setImmediate(resolve))
    const until = performance.now() + 1200
    while (performance.now() < until) Math.sqrt(until)
    expect(await resultOf(answer)).toEqual({})
  })

  it('a late onClose handler is still told', async () => {
    const wire = await open({}, '--exit-at-start')
    await errorOf(call(wire, 'echo'))
    const reason = await new Promise<unknown>((resolve) => {
      wire.onClose = resolve
    })
    expect(reason).toMatchObject({ code: 'exited' })
  })

  it('a server that closes its output or its input without exiting is given up, not waited for', async () => {
    const token = uniqueToken()
    const wire = await open({ shutdown: { end: 100, term: 100 } }, token)
    const error = await errorOf(call(wire, 'closeOutput', { stay: true }))
    expect(error).toMatchObject({
      code: 'closed',
      message: expect.stringContaining('closed its standard output'),
    })
    const closesInput = `read line; exec 0<&-; echo '{"jsonrpc":"2.0","method":"closed"}'; sleep 100; true ${token}`
    const other = await open({
      command: '/bin/sh',
      args: ['-c', closesInput],
      shutdown: { end: 100, term: 100 },
    })
    const closed = new Promise((resolve) => {
      other.onMessage = resolve
    })
    await other.send({ jsonrpc: '2.0', method: 'x' })
    await closed
    const failed = errorOf(other.send({ jsonrpc: '2.0', method: 'x' }))
    const broken = await errorOf(call(other, 'echo'))
    expect(await failed).toMatchObject({ code: 'closed' })
    expect(broken).toMatchObject({
      code: 'closed',
      message: expect.stringContaining('closed its standard input'),
    })
    await Promise.all([wire.close(), other.close()])
    expect(survivors(token)).toEqual([])
  })

  it('10 MB on stderr do not deadlock, the callback gets every line, errors the last ones', async () => {
    const lines: string[] = []
    const wire = await open({ onStderr: (line) => lines.push(line), stderrLines: 5 })
    expect(await resultOf(call(wire, 'stderr', { bytes: 10_000_000 }))).toEqual({ ok: true })
    const error = await errorOf(call(wire, 'exit', { code: 7 }))
    expect(error.details.stderr).toEqual([...Array(3).fill('e'.repeat(99)), 'the last line', 'going down'])
    expect(wire.process.stderrTail()).toEqual(error.details.stderr)
    expect(error.message).toContain('going down')
    expect(lines.length).toBe(Math.ceil(10_000_000 / 65_500) * 655 + 2)
    expect(lines.at(-1)).toBe('going down')
  })

  it('open() can be cancelled', async () => {
    const connector = stdio(process.execPath, [SERVER])
    const error = await errorOf(connector.open({ signal: AbortSignal.abort() }))
    expect(error.code).toBe('cancelled')
    const token = uniqueToken()
    const controller = new AbortController()
    const opening = errorOf(stdio(process.execPath, [SERVER, token]).open({ signal: controller.signal }))
    controller.abort()
    expect((await opening).code).toBe('cancelled')
    expect(survivors(token)).toEqual([])
  })
})
