// Loaded before a file that `gantry dev` runs: serves the server that a file exports but does not serve.
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Served } from '@gantry/mcp/exchange'

process.once('beforeExit', () => {
  // A program that has read its input has served, and its client is gone.
  if (process.stdin.readableFlowing !== null || process.stdin.readableEnded) return
  serveExport(process.argv[1] ?? '').catch((error: unknown) => {
    console.error(error)
    process.exitCode = 1
  })
})

/** The module is loaded and evaluated already, so importing it only hands its exports over. */
async function serveExport(file: string): Promise<void> {
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  const served = await findServer(module)
  if (!served) {
    console.error(
      `${basename(file)} ended without serving: end it with "await serveStdio(server)", or export the server as default.`,
    )
    process.exitCode = 1
    return
  }
  const { serveStdio } = await import('@gantry/mcp/server/node')
  await serveStdio(served)
}

async function findServer(module: Readonly<Record<string, unknown>>): Promise<Served | undefined> {
  const found = [module.default, ...Object.values(module)].find(isServed)
  if (found) return found
  // As with targets of the kind `module`, the default may be a function that makes the server.
  const { default: make } = module
  const made =
    typeof make === 'function' && make.length === 0 ? await callOrNot(make as () => unknown) : undefined
  return isServed(made) ? made : undefined
}

function callOrNot(make: () => unknown): unknown {
  // A class is a function, too, that must not be called.
  return /^class\b/.test(Function.prototype.toString.call(make)) ? undefined : make()
}

function isServed(value: unknown): value is Served {
  return typeof value === 'object' && value !== null && 'respond' in value && 'info' in value
}
