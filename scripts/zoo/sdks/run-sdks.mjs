import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ZOO } from '../install-server.mjs'
import { ourFaults } from './our-faults.mjs'
import { SDKS } from './sdks.mjs'
import { visitSdk } from './visit-sdk.mjs'
import { writeSdks } from './write-sdks.mjs'

const FOUND = join(ZOO, 'found-sdks')
const fileOf = (name) => join(FOUND, `${name}.json`)

/** Visits the SDKs named, or all; returns how many things work only without the gateway. */
export async function runSdks({ names, write }) {
  mkdirSync(FOUND, { recursive: true })
  let faults = 0
  for (const sdk of SDKS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const visit = await visitSdk(sdk).catch((error) => ({ name: sdk.name, skipped: String(error.message) }))
    writeFileSync(fileOf(sdk.name), JSON.stringify(visit, undefined, 2))
    const problems = visit.skipped === undefined ? ourFaults(visit.views) : []
    faults += problems.length
    console.log(describe(sdk, visit, problems))
  }
  if (write) writeSdks(everythingFound())
  return faults
}

/** What this run and earlier ones found: a run can be cut into parts. */
function everythingFound() {
  const visited = SDKS.filter(({ name }) => existsSync(fileOf(name)))
  return Object.fromEntries(visited.map(({ name }) => [name, JSON.parse(readFileSync(fileOf(name), 'utf8'))]))
}

function describe({ name }, { version, views, skipped }, problems) {
  if (skipped !== undefined) return `!!! ${name} was NOT RUN: ${skipped}`
  const lines = Object.entries(views).map(([view, { revision, found }]) => {
    const failed = Object.entries(found).filter(([, what]) => what !== 'yes')
    const good = Object.keys(found).length - failed.length
    return `\n    ${view} (${revision}): ${good} work${failed.map(([feature, what]) => `\n      ${feature}: ${what}`).join('')}`
  })
  return `${problems.length === 0 ? '✓' : '✗'} ${name} ${version}${lines.join('')}${problems.map((problem) => `\n    only without the gateway: ${problem}`).join('')}`
}
