import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { Server, tool } from '../../server/index.ts'
import { envelope } from '../../testing/fixtures/both-eras.test.support.ts'
import { quiet, until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { serveStream } from './serve-stream.node.ts'

const LARGE = 'x'.repeat(9_000_000)
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
}

describe('a client on a pipe that stops reading', () => {
  it.each(['legacy', 'modern'])(
    'costs bounded memory, and is told of what has changed when it reads on (%s)',
    async (era) => {
      let answer: () => void = () => {}
      const all = new Promise<void>((resolve) => {
        answer = resolve
      })
      let calls = 0
      const large = tool({
        run: async () => {
          calls++
          await all
          return LARGE
        },
      })
      const app = new Server({ name: 's', tools: { large } })
      const input = new PassThrough()
      const output = new PassThrough()
      const served = serveStream(app, input, output)
      const meta = era === 'modern' ? envelope() : {}
      let id = 0
      const ask = (method: string, params: object) =>
        input.write(
          `${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, ...meta } })}\n`,
        )
      if (era === 'legacy') {
        ask('initialize', initialize)
        input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
      } else {
        ask('subscriptions/listen', { notifications: { toolsListChanged: true } })
      }
      for (let i = 0; i < 3; i++) ask('tools/call', { name: 'large' })
      await until(() => calls === 3)
      answer()
      await quiet()
      for (let i = 0; i < 200; i++) {
        app.tool(`t${i}`, { run: () => '' })
        await quiet()
      }
      const read = text(output)
      input.end()
      await served
      output.end()
      const heard = (await read).trimEnd().split('\n')
      const changes = heard.flatMap((line, at) => (line.includes('tools/list_changed') ? [at] : []))
      expect(heard.filter((line) => line.length > LARGE.length)).toHaveLength(3)
      expect(changes).toHaveLength(1)
    },
  )
})
