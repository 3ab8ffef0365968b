// Calls a tool of a server that wants a sign-in. The browser opens once; later runs use the stored tokens.
//
//   node examples/oauth-client.mjs https://example.com/mcp TOOL [TOKEN_FILE]
//
// NO_BROWSER=1 prints the address of the sign-in page instead of opening it.
import { oauth } from '@gantry/mcp/auth'
import { fileStorage, loopbackRedirect } from '@gantry/mcp/auth/node'
import { Client, http, McpError } from '@gantry/mcp/client'

const [url, tool, path = '.tokens/oauth-client'] = process.argv.slice(2)
if (!url || !tool) {
  console.error('usage: oauth-client.mjs URL TOOL [TOKEN_FILE]')
  process.exit(2)
}

const show = (page) => console.log(`Sign in at ${page}`)
const auth = oauth({
  redirect: loopbackRedirect(process.env.NO_BROWSER ? { open: show } : {}),
  storage: fileStorage({ path }),
  clientMetadata: { client_name: 'An example' },
})

const client = new Client({ connector: http(url, { auth }) })
try {
  // A tool that needs more scope than the server does leads to a second, larger, sign-in.
  console.log((await client.call(tool)).text())
} catch (error) {
  // The message says which document or check of the sign-in failed, and what to do.
  if (!(error instanceof McpError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await client.close()
}
