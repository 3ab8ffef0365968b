// npm run interop               proves with packages of others, from npm and PyPI, what the pages say of them
// npm run interop -- codemod    rewrites published servers, and asks the same of both
// npm run interop -- helm       the chart, rendered by the real Helm and checked for Kubernetes (needs Go and Python)
// npm run interop -- pages      runs both sides of the pages "Coming from …"
// npm run interop -- keycloak   signs in with a real Keycloak (needs Java 17 or newer, Maven and unzip; on Debian it installs them)
// npm run interop -- otel       one trace from the Python SDK through the gateway, at a real OpenTelemetry Collector (needs Go)
// npm run interop -- presidio   reads masked results with Presidio (needs Python)
import { build } from './lib/build.mjs'
import { installProject } from './lib/install.mjs'
import { stopWithParent } from './lib/processes.mjs'
import { requireNode } from './lib/require-node.mjs'

const PARTS = {
  codemod: async (names) => (await import('./interop/codemod.mjs')).proveCodemod(names),
  keycloak: async () => (await import('./interop/keycloak.mjs')).proveKeycloak(),
  helm: async () => (await import('./interop/helm.mjs')).proveHelm(),
  otel: async () => (await import('./interop/otel.mjs')).proveOtel(),
  presidio: async () => (await import('./interop/presidio.mjs')).provePresidio(),
  pages: async (names) => (await import('./interop/pages.mjs')).provePages(names),
}

requireNode()
stopWithParent()
const [wanted, ...names] = process.argv.slice(2)
if (wanted !== undefined && !Object.hasOwn(PARTS, wanted)) {
  console.error(`There is no part '${wanted}'. Parts: ${Object.keys(PARTS).join(', ')}.`)
  process.exit(2)
}
await installProject()
await build()
let failures = 0
for (const [part, prove] of Object.entries(PARTS))
  if (wanted === undefined || wanted === part) failures += await prove(names)
console.log(failures === 0 ? 'all the same' : `${failures} differ`)
process.exitCode = failures === 0 ? 0 : 1
