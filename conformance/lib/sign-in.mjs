import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { startServer } from './subject.mjs'

const GATEWAY = 'packages/gateway/dist/cli/gantry.js'

/**
 * A gateway with an authorization server of its own, the identity provider of a company behind it, and a person at a
 * browser who goes wherever the referee wants a person to go.
 */
export async function startSignIn() {
  await import('../../scripts/lib/typescript-loader.mjs')
  const { startCompany, Browser } = await import('../../tests/support/identity-provider.ts')
  const [port, callbackPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const callback = `http://127.0.0.1:${callbackPort}/callback`
  const company = await startCompany(`${url}/oauth/callback`)
  const folder = await mkdtemp(join(tmpdir(), 'gantry-sign-in-'))
  const signIn = {
    issuer: company.issuer,
    clientId: 'gantry',
    clientSecret: 'hush-hush',
    clients: [{ clientId: 'referee', name: 'The referee', redirectUris: [callback] }],
  }
  const config = { stateDir: folder, server: { port }, mcpServers: {}, auth: { signIn } }
  await writeFile(join(folder, 'gantry.json'), JSON.stringify(config))
  const gateway = await startServer(GATEWAY, ['serve', '--config', join(folder, 'gantry.json')], port)
  const visited = new Set()
  const problems = []
  return {
    args: [
      ...['--url', url, '--client-id', 'referee', '--resource', `${url}/mcp`],
      ...['--port', String(callbackPort)],
    ],
    told(output) {
      const found = output.match(new RegExp(`${url}/oauth/authorize\\?\\S+(?=\\s)`))?.[0]
      if (found === undefined || visited.has(found)) return
      visited.add(found)
      const browser = new Browser()
      browser
        .browse(found, (at) => at.startsWith(callback))
        .then((end) => fetch(end))
        .catch((error) => problems.push(`the person got lost: ${error.message}`))
    },
    get failure() {
      return gateway.failure ?? problems[0]
    },
    async stop() {
      await gateway.stop()
      await company.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
