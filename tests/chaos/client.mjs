// A client that calls a slow tool for ever, until somebody kills it. argv: endpoint, era, mark.
import { connect } from '@gantry/mcp/client'

const [endpoint, era] = process.argv.slice(2)
const client = await connect(endpoint, { era })
process.stdout.write('calling\n')
for (;;) await client.call('t0_late', { ms: 1500, nonce: 'x' }).catch(() => {})
