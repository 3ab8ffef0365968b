import { PassThrough } from 'node:stream'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { serveStream } from '@gantry/mcp/server/node'
import { memoryLines, runTranscript, type LineChannel } from '@gantry/mcp/testing'
import { describe, expect, it } from 'vitest'
import { createTranscriptServer } from './server.ts'

// GANTRY_RECORD=1 takes down what the server says now; look at the difference before you commit it.
const record = process.env.GANTRY_RECORD === '1'
const folder = new URL('./', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'))

/** The same lines over byte streams, as a process would get them. */
function streamLines(): LineChannel & { close(): void } {
  const input = new PassThrough()
  const output = new PassThrough()
  const channel: LineChannel & { close(): void } = {
    onLine: undefined,
    send: (line) => void input.write(`${line}\n`),
    close: () => void input.destroy(),
  }
  let rest = ''
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) channel.onLine?.(line)
  })
  void serveStream(createTranscriptServer(), input, output)
  return channel
}

describe.each(names)('the transcript %s', (name) => {
  const file = new URL(name, folder)

  it.each([
    ['in memory', () => memoryLines(createTranscriptServer())],
    ['over byte streams', streamLines],
  ] as const)('replays %s', async (where, open) => {
    const channel = open()
    const transcript = readFileSync(file, 'utf8')
    const recording = record && where === 'in memory'
    const run = await runTranscript(channel, transcript, { record: recording })
    channel.close()
    if (recording) writeFileSync(fileURLToPath(file), run.text)
    expect(run.differences).toEqual([])
    expect(readFileSync(file, 'utf8')).toContain('\n< ')
  })
})
