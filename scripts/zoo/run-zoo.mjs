import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ZOO } from './install-server.mjs'
import { runSdks } from './sdks/run-sdks.mjs'
import { SDKS } from './sdks/sdks.mjs'
import { SERVERS } from './servers.mjs'
import { visitServer } from './visit-server.mjs'
import { writePage } from './write-page.mjs'

const FOUND = join(ZOO, 'found.json')

/** Visits those named, or all; returns the exit code. What was found is kept, so that a run can be cut into parts. */
export async function runZoo({ names, write }) {
  const known = [...SERVERS, ...SDKS].map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    console.error(`The zoo has no ${unknown.join(', ')}. It has: ${known.join(', ')}`)
    return 1
  }
  mkdirSync(ZOO, { recursive: true })
  let failures = 0
  for (const server of SERVERS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const visit = await visitServer(server).catch((error) => ({
      ...server,
      expected: { failed: String(error.message ?? error) },
      verdicts: {},
    }))
    remember(visit)
    const problems = Object.entries(visit.verdicts).filter(([, verdict]) => verdict !== '')
    failures += visit.expected.failed === undefined ? problems.length : 0
    console.log(describe(visit, problems))
  }
  if (write) writePage(readFound())
  failures += await runSdks({ names, write })
  console.log(`${names.length || known.length} visited, ${failures} that differ`)
  return failures === 0 ? 0 : 1
}

function remember(visit) {
  writeFileSync(FOUND, JSON.stringify({ ...readFound(), [visit.name]: visit }, undefined, 2))
}

function readFound() {
  return existsSync(FOUND) ? JSON.parse(readFileSync(FOUND, 'utf8')) : {}
}

function describe({ name, version, revision, expected }, problems) {
  if (expected.failed !== undefined) return `- ${name}: the official client fails too: ${expected.failed}`
  const counts = ['tools', 'prompts', 'resources']
    .map((kind) => `${Object.keys(expected[kind]).length} ${kind}`)
    .join(', ')
  const lines = problems.map(([view, verdict]) => `\n    ${view}: ${verdict}`)
  return `${problems.length === 0 ? '✓' : '✗'} ${name} ${version} (${revision}): ${counts}, ${expected.results.length} answers${lines.join('')}`
}
