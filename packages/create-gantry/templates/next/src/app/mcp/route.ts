import { toFetchHandler } from '@gantry/mcp/server'
import { server } from '../../server.ts'

const { ALLOWED_HOSTS } = process.env

const handler = toFetchHandler(server, ALLOWED_HOSTS ? { allowedHosts: ALLOWED_HOSTS.split(',') } : {})

export { handler as DELETE, handler as GET, handler as OPTIONS, handler as POST }
