import { resolve } from 'node:path'
import { findConfig, loadConfig } from '../config/index.ts'
import { acceptConfig } from './accept-config.ts'
import type { CliIo } from './cli-io.ts'
import { shorten } from './format-problem.ts'
import { noConfig } from './require-config.ts'
import { overridesOf, type GatewayOptions, type GatewayPlan } from './run-gateway.ts'

/** A gateway with the configuration that was asked for, or that is found. */
export async function planFromFile(options: GatewayOptions, io: CliIo): Promise<GatewayPlan> {
  const { places } = io
  const file = options.config === undefined ? findConfig(places) : resolve(places.cwd, options.config)
  if (file === undefined) throw noConfig(places, 'or try "gantry serve --demo"')
  const overrides = overridesOf(options)
  const loaded = await acceptConfig(await loadConfig(file, { places, overrides }), file, options, io)
  return {
    loaded,
    serves: shorten(file, places.cwd),
    source: { file, loaded, places, overrides },
    searchPort: false,
  }
}
