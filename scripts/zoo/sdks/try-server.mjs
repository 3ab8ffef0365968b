import { connect } from '@gantry/mcp/client'
import { ANSWERS, FEATURES, PATIENCE } from './features.mjs'

/** Tries every feature of a server with our client; `missing` are features that this SDK has no way to offer. */
export async function tryServer(where, { era, missing = [], only } = {}) {
  const found = {}
  let client
  try {
    client = await connect(where, { ...ANSWERS, numbers: 'exact', timeout: PATIENCE, ...(era && { era }) })
  } catch (error) {
    return { revision: '', found: { connect: say(error) } }
  }
  try {
    const { protocolVersion: revision } = client
    const names = only ?? Object.keys(FEATURES)
    for (const name of names.filter((feature) => !missing.includes(feature))) {
      found[name] = await within(PATIENCE, () => FEATURES[name]({ client })).catch(say)
    }
    return { revision, found: Object.fromEntries(Object.entries(found).map(([k, v]) => [k, v ?? 'yes'])) }
  } finally {
    await client.close()
  }
}

async function within(limit, run) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing after ${limit / 1000} s`)), limit)
  })
  try {
    return await Promise.race([run(), late])
  } finally {
    clearTimeout(timer)
  }
}

const say = (error) => String(error?.message ?? error).slice(0, 300)
