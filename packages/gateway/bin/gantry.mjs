#!/usr/bin/env node
// The command that npm links. It is not a built file, because npm links it in a clone before anything is built.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const command = new URL('../dist/cli/gantry.js', import.meta.url)
// A published package has no sources, and is whole. In a clone the compiler alone may have run, which makes no SDK.
const needed = [command, new URL('../../mcp/dist/index.js', import.meta.url)]
const isClone = existsSync(new URL('../src', import.meta.url))
if (isClone && !needed.every((file) => existsSync(file))) {
  const setup = fileURLToPath(new URL('../../../scripts/setup.mjs', import.meta.url))
  // Its messages go to standard error: standard output belongs to the command.
  const { status } = spawnSync(process.execPath, [setup], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
await import(command.href)
