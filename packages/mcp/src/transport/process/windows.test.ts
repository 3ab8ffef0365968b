import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from '../fixtures/survivors.test.node.ts'

// What can be known about Windows without Windows: the command lines that are made for it. `cmd.exe` and
// `taskkill` are programs of this test that write down how they were called and then do what is expected.

let dir: string
const at = (name: string): string => join(dir, name)

function writeProgram(name: string, source: string): void {
  writeFileSync(at(name), `#!${process.execPath}\n${source}`)
  chmodSync(at(name), 0o755)
}

const RECORD = `const { appendFileSync } = require('node:fs')
const record = (name) => appendFileSync(process.env.PATH + '/' + name + '.json', JSON.stringify(process.argv.slice(2)))`

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gantry-windows-'))
  writeFileSync(at('server.cmd'), '@echo off')
  // Stays when its input ends, so that it has to be ended.
  writeProgram(
    'cmd.exe',
    `${RECORD}
record('cmd')
process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"result":{"from":"cmd"}}'))
setInterval(() => {}, 1000)`,
  )
  writeProgram('taskkill', `${RECORD}\nrecord('taskkill')\nprocess.kill(Number(process.argv[3]), 'SIGKILL')`)
  const outfile = at('client.mjs')
  const entryPoints = [fixture('../../entries/client.node.ts')]
  const banner = {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
  }
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', banner })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const ARGS = [
  'plain',
  'with space',
  'quo"te',
  '100%PATH%',
  'a&b|c<d>e^f(g)!',
  'C:\\dir\\',
  'C:\\a dir\\',
  '',
  'grüße',
]

/** Starts a server with these arguments; what `cmd.exe` and `taskkill` were called with. */
async function start(args: string[]): Promise<{ pid: number; cmd: string[]; taskkill: string[] }> {
  const env = { PATH: dir, PATHEXT: '.exe;.cmd', comspec: at('cmd.exe') }
  const script = [fixture('pretend-windows.mjs'), at('client.mjs'), JSON.stringify(args)]
  for (const name of ['cmd.json', 'taskkill.json']) rmSync(at(name), { force: true })
  const { stdout } = await promisify(execFile)(process.execPath, script, { env })
  const { pid, result } = JSON.parse(stdout) as { pid: number; result: unknown }
  expect(result).toEqual({ from: 'cmd' })
  const read = (name: string): string[] => JSON.parse(readFileSync(at(name), 'utf8'))
  return { pid, cmd: read('cmd.json'), taskkill: read('taskkill.json') }
}

describe.skipIf(process.platform === 'win32')('on Windows', () => {
  it('a .cmd is run by cmd.exe, and every argument arrives as it was; taskkill ends the tree', async () => {
    const { pid, cmd, taskkill } = await start(ARGS)
    expect(cmd.slice(0, -1)).toEqual(['/d', '/s', '/c'])
    expect(toArgv(readByCmd(cmd.at(-1)!))).toEqual(['server', ...ARGS])
    expect(taskkill).toEqual(['/pid', String(pid), '/T', '/F'])
  })

  // A fault of cross-spawn 7.0.6, which doubles only the last of them. The argument breaks; no command can be added.
  it.fails('several backslashes before a quote arrive as they were', async () => {
    const { cmd } = await start(['a\\\\"b'])
    expect(toArgv(readByCmd(cmd.at(-1)!))).toEqual(['server', 'a\\\\"b'])
  })
})

/** What `cmd /s /c` makes of a line: the outer quotes go, and every special character must have its caret. */
function readByCmd(line: string): string {
  expect(line).toMatch(/^".*"$/)
  const inner = line.slice(1, -1)
  expect(inner.replace(/\^./g, '')).not.toMatch(/[()%!^"<>&|]/)
  return inner.replace(/\^(.)/g, '$1')
}

/** How a program of Microsoft's C runtime splits its command line. */
function toArgv(line: string): string[] {
  const argv: string[] = []
  let current: string | undefined
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const slashes = /^\\*/.exec(line.slice(at))![0].length
    if (slashes > 0 && line[at + slashes] === '"') {
      current = (current ?? '') + '\\'.repeat(Math.floor(slashes / 2))
      at += slashes
      if (slashes % 2 === 1) current += '"'
      else isQuoted = !isQuoted
    } else if (line[at] === '"') {
      current ??= ''
      isQuoted = !isQuoted
    } else if (line[at] === ' ' && !isQuoted) {
      if (current !== undefined) argv.push(current)
      current = undefined
    } else {
      current = (current ?? '') + line[at]
    }
  }
  if (current !== undefined) argv.push(current)
  return argv
}
