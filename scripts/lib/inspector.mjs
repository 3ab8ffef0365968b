import { join } from 'node:path'
import { install } from './install.mjs'
import { newerNode } from './newer-node.mjs'
import { ROOT } from './paths.mjs'

const FOLDER = join(ROOT, 'scripts', 'inspector')
const REMOTE = join(FOLDER, 'node_modules/mcp-remote/dist/proxy.js')
const SCRIPT = join(FOLDER, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')

/** The command that starts the MCP Inspector, and its first arguments. Installs it when it is missing. */
export async function inspector() {
  await install(FOLDER, 'the MCP Inspector')
  return { command: await newerNode(), args: [SCRIPT] }
}

/** The command that starts mcp-remote, which lets clients on stdio reach a server on HTTP. */
export async function mcpRemote() {
  await install(FOLDER, 'mcp-remote')
  return { command: await newerNode(), args: [REMOTE] }
}
