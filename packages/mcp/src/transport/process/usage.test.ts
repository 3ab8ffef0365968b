import { describe, expect, it } from 'vitest'
import { parsePsUsage, processUsage, selectWindowsTree } from './usage.node.ts'

describe('processUsage', () => {
  it('measures this process', async () => {
    const [usage] = await processUsage([process.pid])
    expect(usage).toMatchObject({ pid: process.pid, parent: process.ppid })
    const { user, system } = process.cpuUsage()
    expect(usage?.rss).toBeGreaterThan(10_000_000)
    expect(Math.abs((usage?.cpu ?? 0) - (user + system) / 1000)).toBeLessThan(1000)
  })

  it('leaves out what has gone', async () => {
    expect(await processUsage([])).toEqual([])
    expect(await processUsage([2 ** 30])).toEqual([])
  })

  it('reads ps with and without days, hours and fractions', () => {
    const text = '  12  1 2048 1-02:03:04 node server.js  --x\n  13 12   10 0:01.50 sh\nnoise\n'
    expect(parsePsUsage(text)).toEqual([
      { pid: 12, parent: 1, command: 'node server.js  --x', rss: 2_097_152, cpu: 93_784_000 },
      { pid: 13, parent: 12, command: 'sh', rss: 10_240, cpu: 1500 },
    ])
  })

  it('reads what PowerShell says, one process or many', () => {
    const row = (pid: number, parent: number): object => ({
      ProcessId: pid,
      ParentProcessId: parent,
      WorkingSetSize: 1024,
      UserModeTime: 20_000,
      KernelModeTime: 10_000,
      CommandLine: null,
      Name: `${pid}.exe`,
    })
    const json = JSON.stringify([row(3, 2), row(1, 0), row(2, 1), row(9, 8)])
    expect(selectWindowsTree(json, 1).map((one) => one.pid)).toEqual([1, 2, 3])
    expect(selectWindowsTree(JSON.stringify(row(1, 0)), 1)).toEqual([
      { pid: 1, parent: 0, command: '1.exe', rss: 1024, cpu: 3 },
    ])
    expect(selectWindowsTree('', 1)).toEqual([])
  })
})
