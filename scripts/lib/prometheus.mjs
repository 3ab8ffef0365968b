import { ensurePrograms } from './debian-package.mjs'

/** Where `prometheus` and `promtool` are; installed when they are missing. */
export function ensurePrometheus() {
  return ensurePrograms(['prometheus', 'promtool'], ['prometheus'])
}
