import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { parseJson } from '../../jsonrpc/index.ts'
import type { StdioProcessUsage } from './stdio-options.ts'

/** Linux counts process time in hundredths of a second for user space on every architecture (USER_HZ). */
const MS_PER_TICK = 10
/** Windows counts in units of 100 ns. */
const WINDOWS_UNITS_PER_MS = 10_000

/** The memory and time that the given processes use. Processes that have ended are left out. */
export async function processUsage(pids: readonly number[]): Promise<StdioProcessUsage[]> {
  if (pids.length === 0) return []
  if (process.platform !== 'linux') return psUsage(pids)
  const usages = await Promise.all(pids.map(procUsage))
  return usages.filter((usage) => usage !== undefined)
}

async function procUsage(pid: number): Promise<StdioProcessUsage | undefined> {
  try {
    const [stat, status, cmdline] = await Promise.all(
      ['stat', 'status', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
    )
    return parseProcUsage(pid, stat ?? '', status ?? '', cmdline ?? '')
  } catch {
    return undefined
  }
}

function parseProcUsage(pid: number, stat: string, status: string, cmdline: string): StdioProcessUsage {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  const rss = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? '0'
  const command = cmdline.split('\0').join(' ').trim()
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
  return {
    pid,
    parent: Number(fields[1]),
    command: command === '' ? name : command,
    rss: Number(rss) * 1024,
    cpu: ticks * MS_PER_TICK,
  }
}

function psUsage(pids: readonly number[]): Promise<StdioProcessUsage[]> {
  const columns = ['pid', 'ppid', 'rss', 'time', 'args'].flatMap((name) => ['-o', `${name}=`])
  return output('ps', [...columns, '-p', pids.join(',')]).then(parsePsUsage)
}

/** Lines of `ps -o pid= -o ppid= -o rss= -o time= -o args=`; rss is in kilobytes. */
export function parsePsUsage(text: string): StdioProcessUsage[] {
  const usages: StdioProcessUsage[] = []
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([\d:.-]+)\s+(.*)$/.exec(line)
    if (match === null) continue
    const [, pid, parent, rss, time = '', command = ''] = match
    usages.push({
      pid: Number(pid),
      parent: Number(parent),
      command: command.trim(),
      rss: Number(rss) * 1024,
      cpu: parsePsTime(time),
    })
  }
  return usages
}

/** `[[days-]hours:]minutes:seconds[.hundredths]` in milliseconds. */
function parsePsTime(text: string): number {
  const [days, clock] = text.includes('-') ? text.split('-') : ['0', text]
  const seconds = (clock ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return Math.round((Number(days) * 86_400 + seconds) * 1000)
}

/** The tree below a process on Windows, which has no `ps`. */
export async function windowsTree(root: number): Promise<StdioProcessUsage[]> {
  const members = 'ProcessId,ParentProcessId,WorkingSetSize,UserModeTime,KernelModeTime,CommandLine,Name'
  const query = `Get-CimInstance Win32_Process | Select-Object ${members} | ConvertTo-Json -Compress`
  return selectWindowsTree(await output('powershell.exe', ['-NoProfile', '-Command', query]), root)
}

/** Exported for tests: the JSON of the query above. */
export function selectWindowsTree(json: string, root: number): StdioProcessUsage[] {
  const rows = readRows(json)
  const found = rows.filter((row) => row.pid === root)
  for (const parent of found) {
    for (const row of rows) if (row.parent === parent.pid && !found.includes(row)) found.push(row)
  }
  return found
}

function readRows(json: string): StdioProcessUsage[] {
  try {
    const value: unknown = parseJson(json)
    return (Array.isArray(value) ? value : [value]).map((row: Record<string, unknown>) => ({
      pid: Number(row.ProcessId),
      parent: Number(row.ParentProcessId),
      command: String(row.CommandLine ?? row.Name ?? ''),
      rss: Number(row.WorkingSetSize),
      cpu: Math.round((Number(row.UserModeTime) + Number(row.KernelModeTime)) / WINDOWS_UNITS_PER_MS),
    }))
  } catch {
    return []
  }
}

function output(command: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 16 * 1024 * 1024, windowsHide: true, env: { ...process.env, LC_ALL: 'C' } }
    execFile(command, args, options, (_error, stdout) => resolve(stdout))
  })
}
