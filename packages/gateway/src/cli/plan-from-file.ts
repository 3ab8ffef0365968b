import type { CliIo } from './cli-io.ts'
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
  return {
    loaded,
    serves: shorten(file, places.cwd),
    source: { file, loaded, places, overrides },
    searchPort: false,
  }
}
