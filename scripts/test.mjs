// npm test                      everything, stopping at the first step that fails
// npm test -- check             everything but conformance and benchmarks
// npm test -- unit [ARGS]       one step, or all steps whose name begins so; ARGS go to its tool
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installProject } from './lib/install.mjs'
import { stopWithParent } from './lib/processes.mjs'
import { requireNode } from './lib/require-node.mjs'
import { STEPS } from './lib/steps.mjs'

requireNode()
stopWithParent()

const [wanted, ...args] = process.argv.slice(2)
const steps = choose(wanted)
if (steps.length === 0) {
  console.error(`There is no step '${wanted}'. Steps: check, ${STEPS.map((step) => step.name).join(', ')}.`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'gantry-test-'))
try {
  await installProject()
  process.exitCode = await runSteps(steps)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function choose(name) {
  if (name === undefined) return STEPS
  if (name === 'check') return STEPS.filter((step) => !/^(conformance|bench)/.test(step.name))
  return STEPS.filter((step) => step.name.startsWith(name))
}

async function runSteps(list) {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const times = []
  let failedStep
  for (const group of groupsOf(list)) {
    console.log(`\n== ${group.map(({ name }) => name).join(', ')}`)
    const ended = await Promise.all(group.map(runStep))
    for (const { name, seconds, counts } of ended) {
      total.passed += counts.passed
      total.failed += counts.failed
      total.skipped += counts.skipped ?? 0
      times.push(`${name} ${seconds} s`)
      if (counts.failed > 0) failedStep ??= name
    }
    if (failedStep) break
  }
  console.log(`\nsteps: ${times.join(', ')}`)
  if (failedStep) console.log(`'${failedStep}' failed; run it alone with: npm test -- ${failedStep}`)
  if (total.skipped > 0) console.log(`${total.skipped} skipped; the reasons are above`)
  console.log(`${total.passed} passed, ${total.failed} failed`)
  return failedStep ? 1 : 0
}

/** Steps that follow each other and belong to one group run together. */
function groupsOf(list) {
  const groups = []
  for (const step of list) {
    const last = groups.at(-1)
    if (step.group && last?.[0].group === step.group) last.push(step)
    else groups.push([step])
  }
  return groups
}

async function runStep({ name, run }) {
  const began = performance.now()
  const counts = await run(args, folder)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (counts.failed === 0) console.log(`== ${name}: ok in ${seconds} s`)
  return { name, seconds, counts }
}
