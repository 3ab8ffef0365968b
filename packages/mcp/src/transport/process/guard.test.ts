import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { fixture, survivors, uniqueToken, untilSurvivors } from '../fixtures/survivors.test.node.ts'
import { NODE_GUARD, SHELL_GUARD } from './guard-script.node.ts'

const SERVER = fixture('line-server.mjs')
const STUBBORN = fixture('stubborn.mjs')
let dir: string
let client: string

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gantry-'))
  client = join(dir, 'client.mjs')
  const entryPoints = [fixture('../../entries/client.node.ts')]
  const external = ['cross-spawn']
  await build({ entryPoints, outfile: client, bundle: true, platform: 'node', format: 'esm', external })
})

const parents: ChildProcess[] = []

afterEach(() => {
  for (const parent of parents.splice(0)) parent.kill('SIGKILL')
})

afterAll(() => rmSync(dir, { recursive: true }))

interface Command {
  command: string
  args: string[]
}

/** A Node process that holds these servers open; it has their tokens among its own arguments. */
async function startParent(commands: Command[]): Promise<ChildProcess> {
  const args = [fixture('parent.mjs'), client, JSON.stringify(commands)]
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  parents.push(parent)
  await once(parent.stdout, 'data')
  return parent
}

/** Pids of the guards of a process. */
function guards(parent: ChildProcess): number[] {
  const text = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const own = text.split('\n').filter((line) => line.includes('gantry-mcp-guard'))
  return own
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent.pid)
    .map(([pid]) => pid as number)
}

function isAlive(pid: number): boolean {
  return execFileSync('sh', ['-c', `ps -o stat= -p ${pid} || true`], { encoding: 'utf8' }).trim() !== ''
}

function servers(token: string): Command[] {
  const node = process.execPath
  const tree = `"$0" "$1" --ignore-end "$2" & "$0" "$1" --ignore-end "$2"; wait`
  return [
    { command: node, args: [SERVER, token] },
    { command: node, args: [SERVER, '--ignore-end', token] },
    { command: node, args: [STUBBORN, token] },
    { command: '/bin/sh', args: ['-c', tree, node, SERVER, token] },
    { command: '/bin/sh', args: ['-c', tree, node, STUBBORN, token] },
    // Two processes each: the second has a session of its own and outlives every polite request.
    { command: node, args: [SERVER, '--fork-detached', '--ignore-end', token] },
    { command: node, args: [SERVER, '--fork-detached', token] },
  ]
}
const PROCESSES = 3 + 3 + 3 + 2 + 2

describe('the guard', () => {
  it('a parent that is killed by SIGKILL leaves no process behind, nor the guard', async () => {
    const token = uniqueToken()
    const parent = await startParent(servers(token))
    await untilSurvivors(token, PROCESSES + 1)
    const [guard, ...others] = guards(parent)
    expect(others).toEqual([])
    parent.kill('SIGKILL')
    await untilSurvivors(token, 0)
    await expect.poll(() => isAlive(guard as number)).toBe(false)
  })

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('nor one that ends by %s', async (signal) => {
    const token = uniqueToken()
    const parent = await startParent(servers(token).slice(0, 3))
    await untilSurvivors(token, 4)
    parent.kill(signal)
    await untilSurvivors(token, 0)
  })

  it('is replaced when it is killed itself', async () => {
    const token = uniqueToken()
    const parent = await startParent(servers(token).slice(2, 3))
    await untilSurvivors(token, 2)
    const [first] = guards(parent)
    process.kill(first as number, 'SIGKILL')
    await expect.poll(() => guards(parent).filter((pid) => pid !== first)).toHaveLength(1)
    parent.kill('SIGKILL')
    await untilSurvivors(token, 0)
  })
})

const shells = [
  ['/bin/sh', '-c', SHELL_GUARD],
  ['/bin/bash', '-c', SHELL_GUARD],
  ['/bin/busybox', 'sh', '-c', SHELL_GUARD],
  [process.execPath, '-e', NODE_GUARD],
].filter(([command]) => existsSync(command as string))

describe.each(shells)('the guard script in %s', (command, ...args) => {
  it('ends what is registered when its input ends, and nothing else', async () => {
    const guard = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'] })
    const tokens = [uniqueToken(), uniqueToken(), uniqueToken()]
    const children = tokens.map((token) =>
      spawn(process.execPath, [STUBBORN, token], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    await Promise.all(children.map((child) => once(child.stdout as NodeJS.ReadableStream, 'data')))
    const [a, b, c] = children.map((child) => child.pid)
    guard.stdin.write(`+ ${a}\n+ ${b}\n+ ${c}\n- ${b}\n- 1\n`)
    guard.stdin.end()
    await once(guard, 'exit')
    await untilSurvivors(tokens[0] as string, 0)
    await untilSurvivors(tokens[2] as string, 0)
    expect(survivors(tokens[1] as string)).toHaveLength(1)
    children[1]?.kill('SIGKILL')
  })

  it('goes at once when nothing is registered', async () => {
    const guard = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'] })
    guard.stdin.end('+ 12\n- 12\n')
    const [code] = await once(guard, 'exit')
    expect(code).toBe(0)
  })
})
