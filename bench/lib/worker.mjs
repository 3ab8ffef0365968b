import { start, stop } from '../../scripts/lib/processes.mjs'

/**
 * A program of the bench that is told what to do over IPC, one thing at a time. It and what it starts are one
 * process group, and stop together.
 */
export async function startWorker(file, options, nodeArgs = []) {
  const child = start(process.execPath, [...nodeArgs, file], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  child.send(options)
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints = `${complaints}${chunk}`.slice(-2000)
  })
  const next = () =>
    new Promise((resolve, reject) => {
      const onClose = (code) => reject(new Error(`${file} ended with ${code}: ${complaints}`))
      child.once('close', onClose)
      child.once('message', (reply) => {
        child.off('close', onClose)
        if (reply.error) reject(new Error(`${reply.error}\n${complaints}`))
        else resolve(reply)
      })
    })
  try {
    const ready = await next()
    const tell = (order) => {
      const reply = next()
      child.send(order)
      return reply
    }
    return { ready, tell, close: () => stop(child) }
  } catch (error) {
    await stop(child)
    throw error
  }
}
