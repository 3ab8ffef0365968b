import { describe, expect, it } from 'vitest'
import { Cli } from './cli.ts'
import { withProgress } from './progress.ts'

function terminal(isTTY: boolean) {
  const written: string[] = []
  const stream = { isTTY, write: (text: string) => written.push(text) }
  const places = { platform: 'linux' as const, home: '/', env: {}, cwd: '/' }
  return { cli: new Cli({}, { places, stdout: stream, stderr: stream }), written }
}

describe('withProgress', () => {
  it('shows what is going on when it takes long, and cleans up', async () => {
    const { cli, written } = terminal(true)
    const result = await withProgress(
      cli,
      'Starting',
      async (update) => {
        while (!written.some((text) => text.includes('Starting')))
          await new Promise((done) => setTimeout(done, 10))
        update('Finishing')
        while (!written.some((text) => text.includes('Finishing')))
          await new Promise((done) => setTimeout(done, 10))
        return 7
      },
      1,
    )
    expect(result).toBe(7)
    expect(written.at(-1)).toBe('\r\u001b[K')
  })

  it('says nothing when it is quick, or nobody watches', async () => {
    const quick = terminal(true)
    await withProgress(quick.cli, 'Quick', () => Promise.resolve())
    expect(quick.written).toEqual([])
    const piped = terminal(false)
    await withProgress(piped.cli, 'Piped', () => new Promise((done) => setTimeout(done, 150)), 1)
    expect(piped.written).toEqual([])
  })

  it('cleans up when the work fails', async () => {
    const { cli, written } = terminal(true)
    const work = async () => {
      while (written.length === 0) await new Promise((done) => setTimeout(done, 10))
      throw new Error('no')
    }
    await expect(withProgress(cli, 'Failing', work, 1)).rejects.toThrow('no')
    expect(written.at(-1)).toBe('\r\u001b[K')
  })
})
