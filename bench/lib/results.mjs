import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { dirname, join } from 'node:path'
import { peerVersions } from './peers.mjs'

const BENCH = join(import.meta.dirname, '..')
const LATEST = join(BENCH, 'results', 'latest.json')
const RECORDED = join(BENCH, 'recorded.json')

/** What was recorded for everyone to compare with. */
export function readRecorded() {
  return existsSync(RECORDED) ? JSON.parse(readFileSync(RECORDED, 'utf8')) : { cases: [] }
}

/** Writes what one run measured, for a closer look. */
export function writeLatest(cases, options) {
  writeJson(LATEST, { ...circumstances(options), cases })
  return LATEST
}

/** Puts a measured case in the place of what was recorded of it; the others stay. */
export function record(measured, order, options) {
  const facts = circumstances(options)
  const fresh = { ...measured, date: facts.date, load: facts.load }
  const byId = new Map([...readRecorded().cases, fresh].map((each) => [each.id, each]))
  const recorded = { ...facts, cases: order.flatMap((id) => byId.get(id) ?? []) }
  writeJson(RECORDED, recorded)
  return recorded
}

function circumstances({ rounds, ms, wrk }) {
  const [{ model }] = cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: model,
      cores: cpus().length,
      memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
      system: `${type()} ${release().split('.').slice(0, 2).join('.')}`,
      node: process.version,
    },
    load: round(loadavg()[0]),
    method: { rounds, ms, generator: wrk ? 'wrk' : 'node' },
    versions: peerVersions(),
  }
}

// Four digits are more than the noise leaves.
function round(value) {
  return Number(value.toPrecision(4))
}

function writeJson(path, value) {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'number' ? round(each) : each), 2)
  mkdirSync(dirname(path), { recursive: true })
  // One line for each measured figure keeps the file readable and its changes small.
  const flat = text.replace(/\{\s+"median": [^{}]*\}/g, (block) => block.replace(/\s+/g, ' '))
  writeFileSync(path, `${flat}\n`)
}
