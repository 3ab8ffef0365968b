// A client that calls a slow tool for ever, until it is killed. argv: endpoint, era, mark.
import { connect } from '@gantry/mcp/client'

const [endpoint, era] = process.argv.slice(2)
const client = await connect(endpoint, { era })
// By then the first call has long been sent, and is far from its end.
setTimeout(() => process.stdout.write('calling\n'), 100)
for (;;) await client.call('t0_late', { ms: 1500, nonce: 'x' }).catch(() => {})
