import { start, stop } from '../../lib/processes.mjs'

const PATIENCE = 300_000

/** Runs a client program, which prints one line of JSON for each feature; `where` is a URL or the command of a server. */
export async function tryClient([command, ...args], where, { missing = [] } = {}) {
  const child = start(command, [...args, ...where], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  let complaints = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints = (complaints + text).slice(-2_000)
  })
  const timer = setTimeout(() => stop(child), PATIENCE)
  await new Promise((resolve) => child.once('close', resolve).once('error', resolve))
  clearTimeout(timer)
  const lines = printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const found = Object.fromEntries(
    lines
      .filter(({ feature }) => feature !== undefined && !missing.includes(feature))
      .map(({ feature, found }) => [feature, found]),
  )
  const revision = lines.find((line) => line.revision !== undefined)?.revision ?? ''
  if (revision === '') found.connect = complaints.trim().split('\n').at(-1) || 'the client ended at once'
  return { revision, found }
}
