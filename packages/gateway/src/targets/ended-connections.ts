import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** The part of undici's parser that is needed here. */
interface Parser {
  paused: boolean
  readonly ptr: number | null
  readonly llhttp: { llhttp_resume(pointer: number): void }
  execute(chunk: Buffer): void
}

const NOTHING = Buffer.alloc(0)

/** Survives connections that end while their answer is paused, where undici 7 throws in a socket listener. */
export function surviveEnds(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (...found) => {
      const [, socket] = found
      if (socket) {
        const readRest = (): void => readPaused(socket)
        // Ours come before those of undici, which are added when it has the socket.
        for (const event of ['end', 'error', 'close']) socket.on(event, readRest)
      }
      done(...found)
    })
}

function readPaused(socket: Socket): void {
  const parser = parserOf(socket)
  let rest: Buffer = NOTHING
  do {
    if (!goOn(parser)) return
    rest = (socket.read() as Buffer | null) ?? NOTHING
    // Nothing is worth reading too: a body that is complete ends with it.
    parser.execute(rest)
  } while (rest.length > 0)
  goOn(parser)
}

function goOn(parser: Parser | undefined): parser is Parser {
  if (!parser?.paused || parser.ptr === null) return false
  parser.llhttp.llhttp_resume(parser.ptr)
  parser.paused = false
  return true
}

function parserOf(socket: Socket): Parser | undefined {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser')
  return key && ((socket as unknown as Record<symbol, Parser | null>)[key] ?? undefined)
}
