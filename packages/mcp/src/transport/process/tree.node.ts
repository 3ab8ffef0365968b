import { execFile } from 'node:child_process'
import { type ProcessRow, processTable } from './table.node.ts'

/** Polls start quickly, because most processes are gone at once, and then become rare. */
const FIRST_POLL_MS = 5
const MAX_POLL_MS = 100
const KILL_WAIT_MS = 1000

/** A process with all its descendants, also descendants that left its session or lost their parent. */
export class ProcessTree {
  readonly root: number
  /** Members seen so far by pid and start time: a process whose parent has died can still be recognised. */
  readonly #known: Map<number, string> = new Map()

  constructor(root: number) {
    this.root = root
  }

  /** The members that are alive now. On Windows nothing is known: `taskkill /T` walks the tree itself. */
  async members(): Promise<ProcessRow[]> {
    const members = selectTree(await processTable(), this.root, this.#known)
    this.#known.clear()
    for (const { pid, start } of members) this.#known.set(pid, start)
    return members
  }

  /** Sends SIGTERM and, `graceMs` later, SIGKILL. Returns when no member is left, which may be at once. */
  async end(graceMs: number): Promise<void> {
    if (process.platform === 'win32') return taskkill(this.root)
    if (await this.#signalUntilGone('SIGTERM', graceMs)) return
    await this.#signalUntilGone('SIGKILL', KILL_WAIT_MS)
  }

  async #signalUntilGone(signal: NodeJS.Signals, waitMs: number): Promise<boolean> {
    const deadline = performance.now() + waitMs
    let members = await this.members()
    this.#signal(members, signal)
    for (let pause = FIRST_POLL_MS; members.length > 0; pause = Math.min(pause * 2, MAX_POLL_MS)) {
      if (performance.now() >= deadline) return false
      await new Promise((resolve) => setTimeout(resolve, pause))
      members = await this.members()
      // Whatever was forked while the signal went round must not live on.
      if (signal === 'SIGKILL') this.#signal(members, signal)
    }
    return true
  }

  /** The group in one call, which no fork can slip through, then processes that have left it. */
  #signal(members: ProcessRow[], signal: NodeJS.Signals): void {
    trySignal(-this.root, signal)
    for (const { pid, session } of members) if (session !== this.root) trySignal(pid, signal)
  }
}

/** Descendants, and members of sessions that root or a descendant made; `known` are members seen earlier. */
export function selectTree(
  rows: readonly ProcessRow[],
  root: number,
  known: ReadonlyMap<number, string> = new Map(),
): ProcessRow[] {
  const children = groupBy(rows, (row) => row.parent)
  const sessions = groupBy(rows, (row) => row.session)
  // Session 0 belongs to processes outside our pid namespace, and our own session is never part of a tree.
  sessions.delete(0)
  sessions.delete(rows.find((row) => row.pid === process.pid)?.session ?? 0)
  const found = new Set<ProcessRow>()
  const queue = rows.filter((row) => row.pid === root || known.get(row.pid) === row.start)
  queue.push(...(sessions.get(root) ?? []))
  for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
    if (found.has(row)) continue
    found.add(row)
    queue.push(...(children.get(row.pid) ?? []), ...(sessions.get(row.session) ?? []))
  }
  return [...found]
}

function groupBy(rows: readonly ProcessRow[], key: (row: ProcessRow) => number): Map<number, ProcessRow[]> {
  const groups = new Map<number, ProcessRow[]>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group === undefined) groups.set(key(row), [row])
    else group.push(row)
  }
  return groups
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Already gone (ESRCH), or another user's (EPERM): nothing that could be done.
  }
}

function taskkill(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve())
  })
}
