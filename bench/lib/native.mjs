import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isStale } from '../../scripts/lib/freshness.mjs'
import { run } from '../../scripts/lib/processes.mjs'
import { freePort, startHttpServer } from './http-server.mjs'

const BENCH = join(import.meta.dirname, '..')
const SOURCES = join(BENCH, 'native')
const CACHE = join(BENCH, '.cache', 'native')
const RUST = join(CACHE, 'rust')
const GO = join(CACHE, 'go')
const PROXY = join(CACHE, 'mcp-proxy', 'bin', 'mcp-proxy')

/** What is measured, as the files in `native/` and the command below fix it. */
export const NATIVE_VERSIONS = { rmcp: '3.8', 'Go SDK': '1.8', 'mcp-proxy (Rust)': '0.6' }

/** The program with the tool `echo` that is written with the SDK of a language. */
export const NATIVE = {
  rmcp: join(RUST, 'target', 'release', 'native'),
  go: join(GO, 'native'),
}

/** Builds the contestants that are no Node programs, where they are missing. The first time takes minutes. */
export async function installNative() {
  for (const [command, argument] of Object.entries({ cargo: '--version', go: 'version' }))
    if (spawnSync(command, [argument]).status !== 0)
      throw new Error(`the native contestants need ${command}, which is not installed`)
  mkdirSync(CACHE, { recursive: true })
  await make(NATIVE.rmcp, RUST, 'rust', 'src/main.rs', [['cargo', 'build', '--release', '--quiet']])
  await make(NATIVE.go, GO, 'go', 'main.go', [
    ['go', 'mod', 'tidy'],
    ['go', 'build', '-o', 'native', '.'],
  ])
  if (existsSync(PROXY)) return
  console.log('building mcp-proxy …')
  const folders = ['--root', join(CACHE, 'mcp-proxy'), '--target-dir', join(CACHE, 'target')]
  const features = ['--locked', '--features', 'protocol-2026-07-28']
  await must(['cargo', 'install', 'mcp-proxy@0.6.0', '--quiet', ...features, ...folders], CACHE)
}

async function make(program, folder, name, main, commands) {
  if (!isStale(program, [join(SOURCES, name, main)])) return
  console.log(`building the ${name} program …`)
  cpSync(join(SOURCES, name), folder, { recursive: true, preserveTimestamps: true })
  for (const command of commands) await must(command, folder)
}

async function must([command, ...args], cwd) {
  const code = await run(command, args, { cwd })
  if (code !== 0) throw new Error(`${command} ${args[0]} ended with ${code}`)
}

/** The Rust gateway in front of one server, with the names that ours gives to tools. */
export async function rustGateway(backend, folder) {
  const port = await freePort()
  const file = join(folder, 'proxy.toml')
  const lines = Object.entries(backend).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  writeFileSync(
    file,
    `[proxy]\nname = "bench"\nseparator = "_"\n[proxy.listen]\nhost = "127.0.0.1"\nport = ${port}\n` +
      `[observability]\naudit = false\nlog_level = "error"\n[[backends]]\nname = "echo"\n${lines.join('\n')}\n`,
  )
  const server = await startHttpServer({ command: PROXY, args: ['--config', file], cwd: folder, port })
  return { ...server, path: '/' }
}
