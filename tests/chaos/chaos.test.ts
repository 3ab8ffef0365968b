import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeReport, runChaos } from './run-chaos.mjs'

const BUILT = new URL('../../packages/gateway/dist/cli/gantry.js', import.meta.url)

/** The short form of `npm run chaos`; it breaks the built gateway, so there has to be one. */
it.skipIf(!existsSync(BUILT))(
  'after every fault everything is answered, nothing is orphaned and all is back',
  async () => {
    const report = await runChaos({ rounds: 16, targets: 20, seed: 11, gatewayEvery: 8 })
    const { orphans, lost, unhandled, crashes, rounds } = report
    expect({ orphans, lost, unhandled, crashes, rounds }, describeReport(report)).toEqual({
      orphans: 0,
      lost: [],
      unhandled: [],
      crashes: [],
      rounds: 16,
    })
  },
)
