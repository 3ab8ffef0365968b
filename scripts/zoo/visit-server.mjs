import { mkdirSync, openSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stdio } from '@gantry/mcp/client/node'
import { ensureChromium } from '../lib/chromium.mjs'
import { compare } from './compare.mjs'
import { officialFace, ourFace, PATIENCE } from './faces.mjs'
import { installServer, ZOO } from './install-server.mjs'
import { look } from './look.mjs'
import { startGateway } from './start-gateway.mjs'

/**
 * Drives one server four times: by the official client, by ours, and through the gateway by clients of both eras.
 * What the official client gets is what is right; everything else is compared with it. Each time the server is
 * started anew, in an empty folder.
 */
export async function visitServer(server) {
  const installed = await installServer(server)
  const expected = await attempt(server, installed, 'official', byOfficialClient)
  const direct = await attempt(server, installed, 'direct', byOurClient)
  const legacy = await attempt(server, installed, 'legacy', throughGateway('legacy'))
  const modern = await attempt(server, installed, 'modern', throughGateway('modern'))
  const verdicts = Object.fromEntries(
    Object.entries({ direct, legacy, modern }).map(([view, seen]) => [view, compare(expected, seen)]),
  )
  const { name, package: spec } = server
  return { name, package: spec, version: installed.version, revision: direct.revision, expected, verdicts }
}

async function byOfficialClient({ command, args, env, cwd }, calls) {
  const stderr = openSync(`${cwd}.log`, 'w')
  return lookAndClose(await officialFace({ command, args, env, cwd, stderr }), calls)
}

async function byOurClient({ command, args, env, cwd }, calls) {
  return lookAndClose(await ourFace(stdio(command, args, { env, cwd })), calls)
}

const throughGateway = (era) => async (launch, calls) => {
  const gateway = await startGateway({ it: { ...launch, prefix: false } }, `${launch.cwd}-gateway`)
  try {
    return await lookAndClose(await ourFace(gateway.endpoint, era), calls)
  } finally {
    await gateway.close()
  }
}

async function lookAndClose(face, what) {
  try {
    return await look(face, what)
  } finally {
    await face.close()
  }
}

/** What was seen, or `failed` with the reason. */
async function attempt(server, { command, args: launch }, view, drive) {
  const folder = emptyFolder(join(ZOO, 'visits', server.name, view))
  const place = await placeholders(server, folder)
  const what = {
    command,
    args: [...launch, ...place(server.args ?? [])],
    env: place(server.env ?? {}),
    cwd: folder,
  }
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing after ${PATIENCE / 1000} s`)), PATIENCE)
  })
  try {
    return await Promise.race([drive(what, { calls: place(server.calls), folder }), late])
  } catch (error) {
    return { failed: String(error.message ?? error).slice(0, 300) }
  } finally {
    clearTimeout(timer)
  }
}

function emptyFolder(path) {
  rmSync(path, { recursive: true, force: true })
  rmSync(`${path}-gateway`, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  // Servers answer with the real path, which may not be the one through a link.
  return realpathSync(path)
}

/** Puts paths in the place of DIR and CHROMIUM. */
async function placeholders({ args = [] }, folder) {
  const chromium = args.includes('CHROMIUM') ? await ensureChromium() : {}
  if (chromium.reason) throw new Error(`There is no Chromium: ${chromium.reason}`)
  return (value) =>
    JSON.parse(JSON.stringify(value).replaceAll('DIR', folder).replaceAll('"CHROMIUM"', `"${chromium.path}"`))
}
