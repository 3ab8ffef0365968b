// node scripts/complete-lock.mjs   after `npm install`: adds the platform packages that the lock files leave out
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { completeLock } from './lib/complete-lock.mjs'
import { ROOT } from './lib/paths.mjs'

const files = execFileSync('git', ['ls-files', '*package-lock.json'], { cwd: ROOT, encoding: 'utf8' })
for (const file of files.trim().split('\n')) {
  const lock = JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
  const added = completeLock(lock)
  if (added.length > 0) writeFileSync(join(ROOT, file), `${JSON.stringify(lock, undefined, 2)}\n`)
  console.log(`${file}: ${added.length === 0 ? 'complete' : `added ${added.length} platform packages`}`)
}
