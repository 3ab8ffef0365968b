import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface SlowProxy {
  readonly port: number
  /** Milliseconds that each piece of data waits, in both directions. */
  delay: number
  /** Ends all connections that there are. */
  drop(): void
  close(): Promise<void>
}

/** Stands before a port of this machine, and can be slow. */
export async function startSlowProxy(target: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    /** Nothing overtakes what came before it, also when the delay ends meanwhile. */
    let before = Promise.resolve()
    const inTurn = (act: () => void): void => {
      const due = performance.now() + proxy.delay
      before = before.then(async () => {
        const wait = due - performance.now()
        if (wait > 0) await sleep(wait)
        act()
      })
    }
    from.on('data', (data) => inTurn(() => to.write(data)))
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      inTurn(() => to.destroy())
    })
  }
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    pass(near, far)
    pass(far, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: SlowProxy = {
    port: (server.address() as AddressInfo).port,
    delay: 0,
    drop() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      proxy.drop()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}
