// Writes events until it is killed, and says which are on the disk. WAY: `each` waits for every event before the next,
// `many` for a hundred together, `free` for none.
import { callEvent, testTrail } from './trail-parts.test.support.ts'

const [folder, way, count] = process.argv.slice(2) as [string, string, string]
const trail = testTrail(folder, { sync: 100 })
await trail.open()
process.send?.({ chain: trail.chain, synced: 0 })
const size = way === 'each' ? 1 : 100
for (let number = 1; number <= Number(count); number += size) {
  if (way === 'free') {
    for (let at = 0; at < size; at++) trail.add(callEvent(number + at))
    await new Promise((resolve) => setImmediate(resolve))
    continue
  }
  const results = await Promise.allSettled(
    Array.from({ length: size }, (_, at) => trail.record(callEvent(number + at))),
  )
  const failed = results.find((result) => result.status === 'rejected')
  const text = failed && String(failed.reason)
  // All the events before it, the first one of the chain among them.
  process.send?.({ synced: trail.head.sequence, began: number + size, ...(text && { failed: text }) })
  if (failed && way === 'full') break
}
await trail.close()
process.send?.({ synced: trail.head.sequence, ended: true })
process.disconnect?.()
