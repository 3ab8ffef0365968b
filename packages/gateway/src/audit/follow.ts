import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEvent, readLines } from './read-events.ts'
import { type FoundEvent, toFound } from './search.ts'
import { factsOf, listSegments } from './segments.ts'

const EVERY = 300

/** The events that come from now on, of all processes that write to a folder, until the signal is aborted. */
export async function followTrail(folder: string, signal: AbortSignal): Promise<AsyncGenerator<FoundEvent>> {
  const read = new Map((await factsOf(await listSegments(folder))).map(({ file, bytes }) => [file, bytes]))
  return follow(folder, read, signal)
}

async function* follow(
  folder: string,
  read: Map<string, number>,
  signal: AbortSignal,
): AsyncGenerator<FoundEvent> {
  while (!signal.aborted) {
    for (const { file } of await listSegments(folder)) {
      const from = read.get(file) ?? 0
      const size = (await stat(file).catch(() => undefined))?.size ?? 0
      if (size <= from) continue
      for await (const { text, end, isTorn } of readLines(file, from)) {
        if (isTorn) break
        read.set(file, end)
        const event = parseEvent(text)
        if (event) yield toFound(event)
      }
    }
    await sleep(EVERY, undefined, { signal }).catch(() => {})
  }
}
