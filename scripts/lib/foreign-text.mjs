// Texts from outside are read in few places (docs/adr/0013-bytes-of-strangers.md). This finds all others.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** What throws or takes any amount when the text is foreign, and what to use. */
const RULES = [
  // A place beside the module is no foreign text.
  {
    name: 'new URL',
    pattern: /\bnew URL\((?![^()]*import\.meta\.url\))/g,
    use: 'parseUrl, or splitTarget for the target of a request',
  },
  { name: 'JSON.parse', pattern: /\bJSON\.parse\b/g, use: 'parseJson or jsonReader' },
  {
    name: 'toString of bytes',
    pattern: /\.toString\(\s*['"](utf-?8|latin1|ascii|binary)['"]/gi,
    use: 'decodeBody or readText, which have limits',
  },
  {
    name: 'the whole body of a response',
    pattern: /\b\w*(response|answer)\w*\.(json|text|arrayBuffer|blob|bytes|formData)\(\)/gi,
    use: 'readText, readBytes or OAuthHttp, which have limits',
  },
]

/** Files that do it all the same: how often they do each, exactly, and why that is safe. */
export const ALLOWED = {
  // The functions themselves.
  'packages/mcp/src/jsonrpc/read-json.ts': {
    'JSON.parse': 3,
    why: 'is parseJson; an outline of bounded length with one level; one string of a text that parseJson has read',
  },
  'packages/mcp/src/protocol/foreign-text.ts': { 'new URL': 1, why: 'is parseUrl' },
  'packages/mcp/src/transport/http/client/fetch-response.node.ts': {
    'toString of bytes': 1,
    why: 'is decodeBody; what it gets was counted',
  },
  'packages/mcp/src/transport/stdio/lines.node.ts': {
    'toString of bytes': 1,
    why: 'lines that LineSplitter has measured',
  },
  'packages/mcp/src/transport/http/server/node-handler.node.ts': {
    'toString of bytes': 1,
    why: 'the body was counted',
  },
  'packages/gateway/src/admin/http/admin-server.ts': { 'toString of bytes': 1, why: 'the body was counted' },
  // Addresses that the user or the operator gave, checked when they were given.
  'packages/mcp/src/auth/dpop.ts': { 'new URL': 2, why: 'the address of a request of ours' },
  'packages/mcp/src/auth/oauth-provider.ts': { 'new URL': 2, why: 'the address of a request of ours' },
  'packages/mcp/src/auth/guard/bearer-settings.ts': {
    'new URL': 2,
    why: 'options of the author; the error is for them',
  },
  'packages/mcp/src/transport/http/client/url.ts': {
    'new URL': 1,
    why: 'the address of the user; the error is for them',
  },
  'packages/mcp/src/transport/http/client/fetch.node.ts': {
    'new URL': 1,
    why: 'an address that was parsed before; throws within a promise',
  },
  'packages/mcp/src/transport/http/server/fetch-handler.ts': {
    'new URL': 1,
    why: 'the URL of a Request, which the platform has parsed',
  },
  'packages/gateway/src/targets/fetch/pooled-fetch.ts': {
    'new URL': 1,
    why: 'an address that was parsed before; throws within a promise',
  },
  'packages/gateway/src/targets/openapi/request/build-request.ts': { 'new URL': 1, why: 'copies a URL' },
  'packages/gateway/src/targets/openapi/document/document-source.ts': {
    'new URL': 5,
    why: 'addresses of the configuration, and those that parseUrl has read',
  },
  'packages/gateway/src/front/door.ts': { 'new URL': 1, why: 'publicUrl, checked with the configuration' },
  'packages/gateway/src/front/front.ts': {
    'new URL': 1,
    why: 'publicUrl, checked with the configuration',
  },
  // Constant paths below an address that was checked.
  'packages/mcp/src/auth/authorize-user.ts': { 'new URL': 1, why: 'an endpoint that checkUrl has accepted' },
  'packages/mcp/src/auth/resource-metadata.ts': { 'new URL': 2, why: 'a constant path of a checked origin' },
  'packages/mcp/src/auth/server-metadata.ts': { 'new URL': 1, why: 'the origin of a checked URL' },
  // What this program wrote itself.
  'packages/mcp/src/auth/client-registration.ts': {
    'JSON.parse': 1,
    'the whole body of a response': 1,
    why: 'copies a value; the response was bounded by OAuthHttp',
  },
  'packages/mcp/src/auth/token-request.ts': {
    'the whole body of a response': 1,
    why: 'the response was bounded by OAuthHttp',
  },
  'packages/mcp/src/auth/token-set.ts': { 'JSON.parse': 1, why: 'copies a value' },
  'packages/mcp/src/auth/metadata-document.ts': {
    'the whole body of a response': 1,
    why: 'the response was bounded by OAuthHttp',
  },
  'packages/mcp/src/auth/guard/issuer.ts': {
    'the whole body of a response': 1,
    why: 'the response was bounded by OAuthHttp',
  },
  'packages/mcp/src/auth/token-storage.ts': {
    'JSON.parse': 1,
    why: 'a value that was written by the same class',
  },
  'packages/mcp/src/auth/file-lock.node.ts': { 'JSON.parse': 1, why: 'our own file, in a try' },
  'packages/mcp/src/auth/file-storage.node.ts': {
    'JSON.parse': 1,
    'toString of bytes': 1,
    why: 'our own sealed file',
  },
  'packages/mcp/src/extensions/tasks/task-index.ts': { 'JSON.parse': 1, why: 'a value of our own store' },
  'packages/mcp/src/server/server.ts': { 'JSON.parse': 1, why: 'a list that was written by the same class' },
  'packages/mcp/src/testing/transcript.ts': { 'JSON.parse': 4, why: 'transcripts of the author, in tests' },
  'packages/gateway/src/admin/check-request.ts': { 'JSON.parse': 1, why: 'a schema of this package' },
  'packages/gateway/src/targets/openapi/open-api-target.ts': {
    'JSON.parse': 1,
    why: 'copies a value of the caller',
  },
  'packages/gateway/src/store/operations/tables.ts': { 'JSON.parse': 1, why: 'what the store wrote itself' },
  'packages/gateway/src/config/state-file.ts': { 'JSON.parse': 1, why: 'our own file' },
  'packages/gateway/src/config/edit/hide-secrets.ts': {
    'JSON.parse': 1,
    why: 'one string of the configuration',
  },
  'packages/gateway/src/config/compile/schema.ts': { 'JSON.parse': 1, why: 'a schema of this package' },
  'packages/gateway/src/config/import/import-journal.ts': {
    'JSON.parse': 1,
    'toString of bytes': 1,
    why: 'our own file',
  },
  'packages/gateway/src/cli/run-cli.ts': { 'JSON.parse': 1, why: 'package.json of this package' },
  'packages/gateway/src/main.ts': { 'JSON.parse': 1, why: 'package.json of this package' },
  'packages/gateway/src/cli/read-arguments.ts': {
    'toString of bytes': 1,
    why: 'what the user pipes into a command',
  },
  'packages/gateway/src/admin/contract/admin-client.ts': {
    'the whole body of a response': 2,
    why: 'answers of the user’s own gateway; runs in pages too, which have no SDK',
  },
  // The console runs in a page. A value that cannot be read is an error of that page, inside a try.
  'packages/console/src/ui/safe-url.ts': { 'new URL': 1, why: 'in a try' },
  'packages/console/src/features/wire/export-button.tsx': {
    'the whole body of a response': 1,
    why: 'a file that the user asked for',
  },
  'packages/console/src/features/playground/question.tsx': { 'new URL': 1, why: 'after isSafeLink' },
  'packages/console/src/features/playground/result-view.tsx': { 'JSON.parse': 1, why: 'in a try' },
  'packages/console/src/features/playground/content-block.tsx': { 'JSON.parse': 1, why: 'in a try' },
  'packages/console/src/features/playground/client-settings.ts': {
    'JSON.parse': 1,
    why: 'settings of the page itself, in a try',
  },
  'packages/console/src/features/target/target-configuration.tsx': {
    'JSON.parse': 1,
    why: 'what the user types; the form shows the error',
  },
  'packages/console/src/features/configuration/path-at.ts': {
    'JSON.parse': 1,
    why: 'one string of the configuration, in a try',
  },
  'packages/console/src/schema-form/raw-json.tsx': {
    'JSON.parse': 1,
    why: 'what the user types; the form shows the error',
  },
}

/** `[{ file, line, name, use }]` for a source text, one for each use; comments do not count. */
export function findForeignText(text, file) {
  return text.split('\n').flatMap((source, index) => {
    const code = source.replace(/^\s*(\*|\/\/|\/\*).*$/, '')
    return RULES.flatMap(({ name, pattern, use }) =>
      Array.from(code.matchAll(pattern), () => ({ file, line: index + 1, name, use })),
    )
  })
}

/** All source files of the packages that are published or run, without tests and their helpers. */
export function sourceFiles(root) {
  return ['mcp', 'gateway', 'console'].flatMap((name) => {
    const folder = join(root, 'packages', name, 'src')
    return readdirSync(folder, { recursive: true })
      .map((path) => join(folder, path))
      .filter((path) => /\.tsx?$/.test(path) && !/\.test[.-]|[\\/]fixtures[\\/]/.test(path))
  })
}

/** What is wrong in one source text, as sentences. A file may do what its entry counts, no more and no less. */
export function checkSource(text, file, entry = {}) {
  const found = findForeignText(text, file)
  return RULES.flatMap(({ name, use }) => {
    const uses = found.filter((one) => one.name === name)
    const allowed = entry[name] ?? 0
    if (uses.length === allowed) return []
    if (allowed === 0) return uses.map(({ line }) => `${file}:${line}: ${name}; use ${use}`)
    const lines = uses.map(({ line }) => line).join(', ')
    return [
      `${file} has ${uses.length} of ${name} (line ${lines || '–'}), and scripts/lib/foreign-text.mjs allows exactly ${allowed}; use ${use}`,
    ]
  })
}

/** What is wrong in the repository, as sentences. */
export function checkForeignText(root, allowed = ALLOWED) {
  const gone = new Set(Object.keys(allowed))
  const problems = sourceFiles(root).flatMap((path) => {
    const file = relative(root, path).split(sep).join('/')
    gone.delete(file)
    return checkSource(readFileSync(path, 'utf8'), file, allowed[file])
  })
  return [
    ...problems,
    ...[...gone].map((file) => `${file} is allowed in scripts/lib/foreign-text.mjs and is gone`),
  ]
}
