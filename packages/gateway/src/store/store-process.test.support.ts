import { setTimeout as delay } from 'node:timers/promises'
import { openEmbeddedStore, openRedisStore, type Lease, type Store } from './index.ts'

/** What a process of the tests tells: only what the store has acknowledged. */
export type Report =
  | { readonly did: 'ready' | 'done' }
  | { readonly did: 'put'; readonly key: string }
  | { readonly did: 'took'; readonly key: string }
  | { readonly did: 'spent' }
  | { readonly did: 'fenced'; readonly token: number; readonly version: number }
  | { readonly did: 'refused'; readonly code: string; readonly message: string }
  | { readonly did: 'heard'; readonly text: string; readonly after: number }

const [path = '', work = '', name = ''] = process.argv.slice(2)
const VALUE = 'v'.repeat(2000)

function report(what: Report): void {
  process.send!(what)
}

async function put(store: Store): Promise<void> {
  const rows = store.rows({ name: 'written' })
  for (let index = 0; ; index += 1) {
    const key = `${name}-${index}`
    await rows.put(key, VALUE)
    report({ did: 'put', key })
  }
}

async function take(store: Store): Promise<void> {
  const rows = store.rows({ name: 'jobs' })
  for (let index = 0; ; index = (index + 1) % 2000) {
    const row = await rows.take(`job-${index}`)
    if (row) report({ did: 'took', key: row.key })
  }
}

async function spend(store: Store): Promise<void> {
  for (;;) {
    const { granted } = await store.spend({ shared: { capacity: 300, perSecond: 0.0001 } })
    if (granted) report({ did: 'spent' })
    else await delay(5)
  }
}

async function lease(store: Store): Promise<void> {
  const rows = store.rows({ name: 'fenced' })
  for (;;) {
    const lease = await store.acquire('one', 40)
    if (lease) await writeFenced(store, lease)
    else await delay(2)
    async function writeFenced(store: Store, held: Lease): Promise<void> {
      try {
        for (let index = 0; index < 4; index += 1) {
          const version = await rows.put('row', String(held.token), { lease: held })
          report({ did: 'fenced', token: held.token, version })
        }
        await store.release(held)
      } catch (error) {
        if ((error as { code?: string }).code !== 'lost_lease') throw error
      }
    }
  }
}

/** Until nothing fits any more; then a little that does. */
async function fill(store: Store): Promise<void> {
  const rows = store.rows({ name: 'written' })
  let refusals = 0
  for (let index = 0; refusals < 5; index += 1) {
    const key = `${name}-${index}`
    try {
      await rows.put(key, 'x'.repeat(50_000))
      report({ did: 'put', key })
    } catch (error) {
      refusals += 1
      const { code, message } = error as { code: string; message: string }
      report({ did: 'refused', code, message })
    }
  }
  for (let index = 0; index < 5; index += 1) await rows.remove(`${name}-${index}`)
  await rows.put('again', 'x'.repeat(50_000))
  report({ did: 'put', key: 'again' })
}

async function listen(store: Store): Promise<void> {
  await store.subscribe('news', {
    message: (text) => report({ did: 'heard', text, after: Date.now() - Number(text) }),
    missed: () => {},
  })
  report({ did: 'ready' })
  await new Promise(() => setInterval(() => {}, 1000))
}

/** Until Redis is there. Nothing of this process is busy meanwhile. */
async function wait(store: Store): Promise<void> {
  while (store.away) await delay(20, undefined, { ref: false })
}

// A file, or where Redis is.
const store = path.startsWith('{')
  ? await openRedisStore(JSON.parse(path))
  : await openEmbeddedStore({ path })
report({ did: 'ready' })
if (work === 'fill') await fill(store)
else if (work === 'listen') await listen(store)
else if (work === 'wait') await wait(store)
else await Promise.all([put(store), take(store), spend(store), lease(store)])
await store.close()
report({ did: 'done' })
process.disconnect()
