import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessRow {
  pid: number
  parent: number
  /** The session on Linux, the process group elsewhere: made by the process or an ancestor, never joined. */
  session: number
  /** Tells a process from a later process with the same pid. */
  start: string
}

/** About two milliseconds' worth. */
const FILES_PER_TURN = 128

let scan: Promise<ProcessRow[]> | undefined

/** All live processes without zombies. Callers of one turn share a scan. Empty when unknown. */
export function processTable(): Promise<ProcessRow[]> {
  scan ??= nextTurn().then(() => {
    scan = undefined
    return process.platform === 'linux' ? procTable() : psTable()
  })
  return scan
}

/** Reads synchronously, which is cheaper for /proc, but with pauses for the other requests. */
async function procTable(): Promise<ProcessRow[]> {
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return []
  }
  const rows: ProcessRow[] = []
  let read = 0
  for (const name of names) {
    if (name.charCodeAt(0) > 0x39) continue
    const row = readProcStat(name)
    if (row !== undefined) rows.push(row)
    read += 1
    if (read % FILES_PER_TURN === 0) await nextTurn()
  }
  return rows
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function readProcStat(pid: string): ProcessRow | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return undefined
  }
}

/** proc(5): `pid (name) state ppid pgrp session …`, start time in field 22. The name may hold anything. */
export function parseProcStat(text: string): ProcessRow | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, , session] = fields
  if (state === 'Z' || state === 'X') return undefined
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    session: Number(session),
    start: fields[19] ?? '',
  }
}

function psTable(): Promise<ProcessRow[]> {
  if (process.platform === 'win32') return Promise.resolve([])
  const columns = ['pid', 'ppid', 'pgid', 'state', 'lstart'].flatMap((name) => ['-o', `${name}=`])
  return new Promise((resolve) => {
    const options = { maxBuffer: 16 * 1024 * 1024, env: { ...process.env, LC_ALL: 'C' } }
    execFile('ps', ['-A', ...columns], options, (_error, stdout) => resolve(parsePs(stdout)))
  })
}

export function parsePs(text: string): ProcessRow[] {
  const rows: ProcessRow[] = []
  for (const line of text.split('\n')) {
    const [pid, parent, session, state, ...start] = line.trim().split(/\s+/)
    if (start.length === 0 || state?.startsWith('Z')) continue
    rows.push({ pid: Number(pid), parent: Number(parent), session: Number(session), start: start.join(' ') })
  }
  return rows
}
