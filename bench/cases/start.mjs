import { program } from '../lib/contestants.mjs'
import { createLineAsker } from '../lib/line-asker.mjs'
import { checkAnswer, echoCall } from '../load/messages.mjs'
import { start, stop } from '../../scripts/lib/processes.mjs'

const STARTS = 5
const { message, expect } = echoCall('legacy')

/** From nothing to the first answer of a tool: start of the process, handshake, call. */
async function firstAnswer(args) {
  const began = performance.now()
  const child = start(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const { ask, handshake } = createLineAsker(child)
    await handshake()
    checkAnswer(await ask(message), expect)
    return performance.now() - began
  } finally {
    await stop(child)
  }
}

function starting(name, file, ...args) {
  // The least: whatever else the machine does can only make a start longer.
  const sample = async () => {
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < STARTS; i++) least = Math.min(least, await firstAnswer([program(file), ...args]))
    return { start: least }
  }
  return { name, open: async () => ({ sample, close: async () => {} }) }
}

/** How long it takes until a server that is not running answers. */
export const startCases = [
  {
    id: 'start-stdio',
    title: 'cold start to the first answer, stdio',
    metrics: { start: { unit: 'ms', better: 'lower' } },
    goals: [{ metric: 'start', over: 'bare', atMost: 1.3 }],
    contestants: [
      starting('bare', 'bare-stdio.mjs'),
      starting('ours', 'gantry.mjs', 'stdio'),
      starting('official 2.4', 'official-2.mjs', 'stdio'),
      starting('official 1.32', 'official-1.mjs', 'stdio'),
      starting('fastmcp', 'fastmcp.mjs', 'stdio'),
      starting('tmcp', 'tmcp.mjs', 'stdio'),
    ],
  },
]
