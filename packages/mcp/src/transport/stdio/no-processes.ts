import type { StdioConnector, StdioOptions } from '../process/stdio-options.ts'

/** Where there are no processes: in pages and workers. */
export const stdioOfEntry: ((options: StdioOptions) => StdioConnector) | undefined = undefined
