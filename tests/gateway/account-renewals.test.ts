import { expect, it } from 'vitest'
import { describeProof, proveRenewals } from '../support/renewal-proof.ts'

const CALLS = Number(process.env.GANTRY_RENEWAL_CALLS ?? 400)
const isLong = CALLS > 1000

it('two people in two processes never get each other’s token, and nobody is signed out', async () => {
  const { log } = console
  const report = await proveRenewals({
    calls: CALLS,
    kills: isLong ? 8 : 1,
    pauses: isLong ? 3 : 0,
    rotations: isLong ? 10 : 2,
    ...(isLong && { log }),
  })
  if (isLong) log(describeProof(report))
  expect(report).toMatchObject({ foreign: 0, signedOut: 0, failed: [], redeemedTwice: [], ownedTwice: 0 })
  expect(report.unreadable).toEqual(Array(isLong ? 10 : 2).fill(0))
  expect(report.calls).toBeGreaterThanOrEqual(CALLS)
  expect(report.generations).toBeGreaterThan(3)
}, 1_800_000)
