import type { StdioConnector, StdioOptions } from '../process/stdio-options.ts'

/** `stdio` where there are no processes: in pages and workers. */
export const stdio: ((options: StdioOptions) => StdioConnector) | undefined = undefined
