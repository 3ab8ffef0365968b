import type { Page } from 'playwright-core'

/** CPU milliseconds of the page's main thread while something happens: what keeps it from answering its user. */
export async function mainThread(page: Page, action: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taken = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
  const before = await taken()
  await action()
  const spent = (await taken()) - before
  await session.detach()
  return Math.round(spent * 1_000)
}

/**
 * CPU milliseconds that pages spend while something happens, in all threads of their processes. Time on the
 * clock would tell more about what else the machine is doing.
 */
export async function measured(page: Page, action: () => Promise<unknown>): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession()
  const taken = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    const pages = processInfo.filter(({ type }) => type === 'renderer')
    return pages.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  }
  const before = await taken()
  await action()
  const spent = (await taken()) - before
  await session.detach()
  return Math.round(spent * 1_000)
}
