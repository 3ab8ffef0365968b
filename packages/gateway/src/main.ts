/** The entry for programs that embed the gateway, and for the commands. */
export { loadDemo } from './start/load-demo.ts'
export { openLocalGateway } from './start/local-gateway.ts'
export { openLog } from './start/open-log.ts'
export { startGateway, type RunningGateway } from './start/start-gateway.ts'
export type { ConfigSource, StartOptions } from './start/start-options.ts'
export { readRecording } from './targets/recording/recording.ts'
