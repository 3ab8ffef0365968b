import { isOpenToAll } from '../model/index.ts'
import { paintFor, printLine, type CliIo } from './cli-io.ts'
import { shorten } from './format-problem.ts'
import { loadTrusted } from './load-trusted.ts'
import { noConfig } from './require-config.ts'
import { overridesOf, type GatewayOptions, type GatewayPlan } from './run-gateway.ts'

export async function planFromFile(options: GatewayOptions, io: CliIo): Promise<GatewayPlan> {
  const { places } = io
  const overrides = overridesOf(options)
  const config = await loadTrusted(options, io, overrides)
  if (!config) throw noConfig(places, 'or try "gantry serve --demo"')
  const { file, loaded } = config
  if (isOpenToAll(file)) {
    const paint = paintFor(io.stderr, io, options)
    const what = `Every user of this machine can change ${shorten(file, places.cwd)}, and so run programs as this user`
    printLine(io.stderr, `${paint.yellow('!')} ${what}. Close it with: chmod o-w FILE`)
  }
  return {
    loaded,
    serves: shorten(file, places.cwd),
    source: { file, loaded, places, overrides },
    searchPort: false,
  }
}
