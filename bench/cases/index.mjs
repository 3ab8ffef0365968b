import { clientCases } from './client.mjs'
import { curves } from './curves.mjs'
import { fairnessCases } from './fairness.mjs'
import { gatewayCases } from './gateway.mjs'
import { largeCases } from './large.mjs'
import { listCases } from './lists.mjs'
import { memoryCases } from './memory.mjs'
import { nativeCases } from './native.mjs'
import { policyCases } from './policy.mjs'
import { scaleCases } from './scale.mjs'
import { serverCases } from './server.mjs'
import { startCases } from './start.mjs'
import { telemetryCases } from './telemetry.mjs'

/** Everything that is measured, in the order of the report. */
export const CASES = [
  ...serverCases,
  ...clientCases,
  ...gatewayCases,
  ...policyCases,
  ...fairnessCases,
  ...telemetryCases,
  ...scaleCases,
  ...listCases,
  ...largeCases,
  ...startCases,
  ...memoryCases,
  ...curves,
  ...nativeCases,
]
