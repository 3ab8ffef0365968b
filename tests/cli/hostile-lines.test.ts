import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorkshop, type Running, type Workshop } from './support/gantry.ts'

/** `gantry serve --stdio` with a client that sends anything. */
let shop: Workshop
let gantry: Running
beforeEach(async () => {
  shop = await openWorkshop()
  gantry = shop.start('serve', '--stdio', '--demo')
  gantry.child.stdin.on('error', () => {})
})
afterEach(() => shop.close())

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Message = any
const answers = (): Message[] =>
  gantry.out
    .split('\n')
    .slice(0, -1)
    .map((text) => JSON.parse(text))
const send = (data: string | Buffer): boolean => gantry.child.stdin.write(data)
const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`

/** The process lives and answers. */
async function lives(): Promise<void> {
  send(line({ id: 'alive', method: 'ping' }))
  await expect.poll(() => answers().find(({ id }) => id === 'alive')).toBeDefined()
}

async function ends(): Promise<number | null> {
  gantry.child.stdin.end()
  if (gantry.child.exitCode === null) await once(gantry.child, 'close')
  return gantry.child.exitCode
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const LONG = 'x'.repeat(1_000_000)

describe('a line', () => {
  it.each<[string, string | Buffer, object]>([
    ['with deep nesting', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep(5000)}}}`, { id: 1 }],
    ['that is nothing but brackets', '['.repeat(200_000), { id: null }],
    ['with a long id', line({ id: LONG, method: 'nothing' }).trim(), {}],
    ['with a number as id that no double holds', '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', {}],
    ['with an object as id', line({ id: {}, method: 'ping' }).trim(), { id: null }],
    ['with bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x22, 0x7d]), { id: null }],
    ['with NUL', '\0\0{"jsonrpc":"2.0","id":1,"method":"ping"}\0', { id: null }],
    ['with "__proto__"', '{"jsonrpc":"2.0","id":1,"method":"nothing","__proto__":{"id":2}}', { id: 1 }],
    ['that is a list', `[${line({ id: 1, method: 'ping' }).trim()}]`, { id: null }],
  ])('%s is answered with an error, and the next one is served', async (_, text, expected) => {
    send(text)
    send('\n')
    await lives()
    await expect
      .poll(() => answers().find(({ id }) => id !== 'alive'))
      .toMatchObject({ ...expected, error: { code: expect.any(Number) } })
    expect(await ends()).toBe(0)
    expect(gantry.err).not.toMatch(/\n {4}at |TypeError|RangeError/)
  })

  it('of 100 MB without an end is refused, and memory stays bounded', async () => {
    const piece = Buffer.alloc(1_000_000, 'x')
    let gone = false
    gantry.child.stdin.on('error', () => (gone = true))
    const exited = once(gantry.child, 'exit').then(() => (gone = true))
    for (let sent = 0; sent < 100 && !gone; sent++) {
      if (!send(piece))
        await Promise.race([new Promise((resolve) => gantry.child.stdin.once('drain', resolve)), exited])
    }
    if (!gone) {
      send('\n')
      await lives()
      expect(answers()[0]).toMatchObject({ id: null, error: { code: expect.any(Number) } })
    }
    const code = await ends()
    expect([0, 1]).toContain(code)
    if (code === 1) expect(gantry.err).toMatch(/standard input/i)
    expect(gantry.err).not.toMatch(/\n {4}at |heap/)
  })

  it.each(['{"jsonrpc":"2.0","id":1,"meth', '{"jsonrpc":"2.0","id":1,"method":"ping"}', '\ud83d', ' '])(
    'that is cut off by the end of input, %j, ends the process in order',
    async (half) => {
      await lives()
      send(half)
      expect(await ends()).toBe(0)
      expect(gantry.err).not.toMatch(/\n {4}at |Error:/)
    },
  )
})
