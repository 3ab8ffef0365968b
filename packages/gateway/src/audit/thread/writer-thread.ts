import { parentPort, workerData } from 'node:worker_threads'
import { ChainWriter } from './chain-writer.ts'
import type { FromThread, ToThread, WriterSettings, Written } from './writer-client.ts'

const writer = new ChainWriter(workerData as WriterSettings)

parentPort!.on('message', (message: ToThread) => {
  const work: Promise<Written | undefined> = message === 'close' ? writer.close() : writer.write(message)
  work.then(
    (result) => post({ result }),
    (error: Error) => post({ error }),
  )
})

function post(message: FromThread): void {
  parentPort!.postMessage(message)
}
