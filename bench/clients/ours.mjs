import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'

export async function connectClient({ args, url }) {
  const client = await connect(url ?? stdio(process.execPath, args))
  return {
    call: async (text) => (await client.call('echo', { text })).text(),
    progress: async (text) => {
      let count = 0
      await client.call('echo', { text }, { onProgress: () => count++ })
      return count
    },
    close: () => client.close(),
  }
}
