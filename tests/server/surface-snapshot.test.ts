import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { bundle } from '../../packages/mcp/src/transport/fixtures/bundle.test.node.ts'
import { newerNode } from '../../scripts/lib/newer-node.mjs'

interface Ended {
  code: number
  output: string
}

/** Without the variable by which `node:test` knows that it runs inside another test. */
function run(command: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...own } = process.env
  return new Promise((resolve) => {
    execFile(command, args, { env: { ...own, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    )
  })
}

it('a surface is a snapshot of node:test, which fails when a description changes', async () => {
  const node = await newerNode()
  const program = await bundle(new URL('fixtures/surface-snapshot.ts', import.meta.url))
  const written = await run(node, ['--test', '--test-update-snapshots', program])
  expect(written).toMatchObject({ code: 0 })
  expect(readFileSync(`${program}.snapshot`, 'utf8')).toContain('Publishes a note')
  expect(await run(node, ['--test', program])).toMatchObject({ code: 0 })
  const changed = await run(node, ['--test', program], { DESCRIPTION: 'Deletes a note' })
  expect(changed.code).toBe(1)
  expect(changed.output).toContain('Deletes a note')
  // The first use of a newer Node fetches it.
}, 300_000)
