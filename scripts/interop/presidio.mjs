// Results with planted secrets, as a client of the gateway gets them, read by Presidio of PyPI.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../lib/paths.mjs'
import { run } from '../lib/processes.mjs'

const HOME = join(ROOT, 'node_modules', '.cache', 'gantry', 'interop', 'presidio')
const FILES = join(ROOT, 'scripts', 'interop', 'presidio')
const LOADER = join(ROOT, 'scripts', 'lib', 'typescript-loader.mjs')
const PRESIDIO = 'presidio-analyzer==2.2.366'
const RESULTS = 2700
/** Of what is planted, in parts: a reader that finds little proves little. */
const LEAST_FOUND = 0.8

/** Returns how many things are wrong. */
export async function provePresidio() {
  mkdirSync(HOME, { recursive: true })
  const python = await installPython()
  const { counts, leaks } = JSON.parse(await read(python, await maskedResults()))
  const problems = leaks.map(
    ({ kind, as, place, text }) => `${kind} in ${place} was found as ${as} after masking: ${text}`,
  )
  for (const [kind, { planted, found }] of Object.entries(counts)) {
    console.log(`  ${kind}: ${found} of ${planted} found before masking`)
    if (found < planted * LEAST_FOUND) problems.push(`Presidio finds too little of ${kind} to be a judge`)
  }
  for (const problem of problems.slice(0, 20)) console.log(`✗ ${problem}`)
  if (problems.length === 0) console.log(`✓ Presidio finds nothing in ${RESULTS} masked results`)
  return problems.length
}

async function installPython() {
  const python = join(HOME, 'venv', 'bin', 'python')
  if (!existsSync(python)) await must('python3', ['-m', 'venv', join(HOME, 'venv')])
  await must(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PRESIDIO])
  return python
}

/** The file with the texts before and after. */
async function maskedResults() {
  const file = join(HOME, 'results.jsonl')
  const state = mkdtempSync(join(HOME, 'state-'))
  const args = ['--conditions=@gantry/source', '--import', LOADER, join(FILES, 'masked.mjs')]
  try {
    writeFileSync(file, await output(process.execPath, [...args, String(RESULTS), state]))
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
  return file
}

function read(python, file) {
  return output(python, ['-B', join(FILES, 'check.py')], readFileSync(file))
}

function output(command, args, input = '') {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString())
      else reject(new Error(`${command} ended with ${code}`))
    })
    child.stdin.end(input)
  })
}

async function must(command, args) {
  const code = await run(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}
