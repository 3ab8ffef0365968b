import { basename } from 'node:path'
import { start, stop } from '../../scripts/lib/processes.mjs'

/**
 * A program of the bench that is told what to do over IPC, one thing at a time. It and what it starts are one
 * process group, and stop together.
 */
export async function startWorker(file, options, nodeArgs = []) {
  const child = start(process.execPath, [...nodeArgs, file], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints = `${complaints}${chunk}`.slice(-2000)
  })

  // It may fail between two orders; the next one is then answered with the reason.
  let failure
  let settle = () => {}
  let refuse = () => {}
  const fail = (reason) => {
    failure ??= new Error(`${reason}\n${complaints}`)
    refuse(failure)
  }
  child.on('message', (reply) => (reply.error ? fail(reply.error) : settle(reply)))
  child.once('close', (code) => fail(`${basename(file)} ended with ${code}`))
  child.once('error', (error) => fail(error.message))

  const tell = (order) =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure)
      settle = resolve
      refuse = reject
      child.send(order)
    })

  try {
    await tell(options)
    return { tell, close: () => stop(child) }
  } catch (error) {
    await stop(child)
    throw error
  }
}
