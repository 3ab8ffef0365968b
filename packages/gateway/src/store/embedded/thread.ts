import { parentPort } from 'node:worker_threads'
import { StoreError } from '../store-error.ts'
import { OpenFile, type Operation } from './open-file.ts'
import type { Reply, Request } from './thread-client.ts'

/** More wait for the next commit, so that other processes come in between. */
const BATCH = 256

const files = new Map<string, OpenFile>()
const waiting: Request[] = []

parentPort!.on('message', (request: Request) => {
  if (waiting.push(request) === 1) setImmediate(work)
})

/** Operations that came in during the last commit go into one commit together. */
async function work(): Promise<void> {
  while (waiting.length > 0) {
    const [first] = waiting
    if (first!.do === 'run') runBatch(first!.path)
    else await control(waiting.shift()!)
  }
}

function runBatch(path: string): void {
  const operations: Operation[] = []
  while (operations.length < BATCH) {
    const request = waiting[0]
    if (request?.do !== 'run' || request.path !== path) break
    waiting.shift()
    const { id, name, argument } = request
    operations.push({ name, argument, settle: (outcome) => answer(id, outcome) })
  }
  const file = files.get(path)
  if (file) return file.run(operations)
  for (const { settle } of operations) settle({ error: new StoreError('closed', 'The store is closed') })
}

async function control(request: Request): Promise<void> {
  const { id, path } = request
  try {
    switch (request.do) {
      case 'open':
        if (!files.has(path)) files.set(path, new OpenFile(path, request.maxBytes))
        break
      case 'watch':
        files.get(path)?.watch((news) => post({ path, news }))
        break
      case 'unwatch':
        files.get(path)?.unwatch()
        break
      case 'close':
        await files.get(path)?.close()
        files.delete(path)
    }
    answer(id, { result: undefined })
  } catch (thrown) {
    answer(id, { error: thrown as StoreError })
  }
}

function answer(id: number, outcome: { result: unknown } | { error: StoreError }): void {
  if ('result' in outcome) return post({ id, result: outcome.result })
  const { code, message } = outcome.error
  post({ id, error: { code: code ?? 'failed', message } })
}

function post(reply: Reply): void {
  parentPort!.postMessage(reply)
}
