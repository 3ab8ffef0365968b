import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { expectEvents, linesIn, testFolder } from './trail.test.support.ts'
import { verifyTrail } from './verify.ts'

const SCRIPT = fileURLToPath(new URL('./audit-process.test.support.ts', import.meta.url))
const LOADER = new URL('../../../../scripts/lib/typescript-loader.mjs', import.meta.url).href
const FLAGS = ['--conditions', '@gantry/source', '--import', LOADER]
/** In all, over all processes. More: GANTRY_AUDIT_EVENTS=100000. */
const EVENTS = Number(process.env.GANTRY_AUDIT_EVENTS ?? 3000)

interface Report {
  readonly chain?: string
  readonly synced: number
  readonly began?: number
  readonly failed?: string
  readonly ended?: boolean
}

function watch(child: ChildProcess): { reports: Report[]; exit: Promise<unknown>; stderr: () => string } {
  const reports: Report[] = []
  let stderr = ''
  child.on('message', (report) => void reports.push(report as Report))
  child.stderr?.on('data', (data) => {
    stderr += String(data)
  })
  return { reports, exit: once(child, 'close'), stderr: () => stderr }
}

it.each([
  ['each', 0.05],
  ['many', 0.45],
  ['free', 0.5],
] as const)(
  'keeps every event that was acknowledged when processes are killed at any moment (%s)',
  async (way, share) => {
    const folder = testFolder()
    let written = 0
    for (let round = 0; written < EVENTS * share && round < 200; round++) {
      const child = fork(SCRIPT, [folder, way, '1000000'], { execArgv: FLAGS, silent: true })
      const { reports, exit, stderr } = watch(child)
      await expect.poll(() => reports.length, { interval: 2 }).toBeGreaterThan(0)
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * (EVENTS > 10_000 ? 2000 : 250)))
      child.kill('SIGKILL')
      await exit
      expect(stderr()).toBe('')
      const { ok, faults, chains } = await verifyTrail(join(folder, 'audit'))
      expect(faults).toEqual([])
      expect(ok).toBe(true)
      const chain = chains.find((one) => one.chain === reports[0]!.chain)!
      const { synced } = reports.at(-1)!
      expect(chain.isClosed).toBe(false)
      expect(chain.to).toBeGreaterThanOrEqual(synced)
      // The one that was being written when the process was killed may be there, or not.
      if (way === 'each') expect(chain.to - synced).toBeLessThanOrEqual(2)
      written += chain.events
    }
    expect(written).toBeGreaterThanOrEqual(EVENTS * share)
    const lines = await linesIn(folder)
    expectEvents(lines.slice(0, 20))
    // The next process knows where the killed ones have ended: what is cut off afterwards is missed.
    const child = fork(SCRIPT, [folder, 'each', '1'], { execArgv: FLAGS, silent: true })
    const { reports, exit } = watch(child)
    await exit
    const { ok, chains } = await verifyTrail(join(folder, 'audit'))
    expect(ok).toBe(true)
    expect(chains.find(({ chain }) => chain === reports[0]!.chain)!.isClosed).toBe(true)
  },
  600_000,
)

it('refuses what has no room on a full disk, and what was acknowledged stays', async () => {
  const folder = testFolder()
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1024k', 'tmpfs', folder]).status === 0
  onTestFinished(() => void (isMounted && spawnSync('umount', [folder])))
  // Where no disk can be mounted, the system limits the size of files. Without the trap its signal would end the process.
  const child = spawn(
    'bash',
    [
      '-c',
      `trap '' XFSZ; ${isMounted ? '' : 'ulimit -f 1024;'} exec "$0" "$@"`,
      ...[process.execPath, ...FLAGS, SCRIPT, folder, 'full', '100000'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  const { reports, exit, stderr } = watch(child)
  await exit
  expect(stderr()).toBe('')
  expect(reports.find(({ failed }) => failed)?.failed).toMatch(/ENOSPC|EFBIG/)
  const { faults, chains } = await verifyTrail(join(folder, 'audit'))
  expect(faults).toEqual([])
  expect(chains[0]!.to).toBe(reports.at(-1)!.synced)
  expect(chains[0]!.to).toBeGreaterThan(100)
  expect(chains[0]!.isTorn).toBe(false)
})
