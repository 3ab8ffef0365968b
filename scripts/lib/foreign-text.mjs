// Texts from outside are read in few places (docs/adr/0013-bytes-of-strangers.md). This finds all others.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** What throws or takes any amount when the text is foreign, and what to use. */
const RULES = [
  // A place beside the module is no foreign text.
  {
    name: 'new URL',
    pattern: /\bnew URL\((?![^()]*import\.meta\.url\))/,
    use: 'parseUrl, or splitTarget for the target of a request',
  },
  { name: 'JSON.parse', pattern: /\bJSON\.parse\b/, use: 'parseJson or jsonReader' },
  {
    name: 'toString of bytes',
    pattern: /\.toString\(\s*['"](utf-?8|latin1|ascii|binary)['"]/i,
    use: 'decodeBody or readText, which have limits',
  },
  {
    name: 'the whole body of a response',
    pattern: /\b\w*(response|answer)\w*\.(json|text|arrayBuffer|blob|bytes|formData)\(\)/i,
    use: 'readText, readBytes or OAuthHttp, which have limits',
  },
]

/** Who does it all the same, and why that is safe. An entry that is no longer needed is an error too. */
export const ALLOWED = {
  // The functions themselves.
  'packages/mcp/src/jsonrpc/parse-json.ts': 'is parseJson',
  'packages/mcp/src/jsonrpc/refused-json.ts': 'an outline of bounded length with one level',
  'packages/mcp/src/jsonrpc/read-json.ts': 'reads one string of a text that parseJson has read',
  'packages/mcp/src/protocol/parse-url.ts': 'is parseUrl',
  'packages/mcp/src/transport/http/client/fetch-response.node.ts': 'is decodeBody; what it gets was counted',
  'packages/mcp/src/transport/stdio/decode-ascii.node.ts': 'lines that LineSplitter has measured',
  'packages/mcp/src/transport/http/server/node-handler.node.ts': 'the body was counted',
  'packages/gateway/src/admin/http/read-body.ts': 'the body was counted',
  // Addresses that the user or the operator gave, checked when they were given.
  'packages/mcp/src/auth/dpop.ts': 'the address of a request of ours',
  'packages/mcp/src/auth/oauth-provider.ts': 'the address of a request of ours',
  'packages/mcp/src/auth/guard/bearer-settings.ts': 'options of the author; the error is for them',
  'packages/mcp/src/transport/http/client/url.ts': 'the address of the user; the error is for them',
  'packages/mcp/src/transport/http/client/fetch.node.ts':
    'an address that was parsed before; throws within a promise',
  'packages/mcp/src/transport/http/server/fetch-handler.ts':
    'the URL of a Request, which the platform has parsed',
  'packages/gateway/src/targets/pooled-fetch.ts':
    'an address that was parsed before; throws within a promise',
  'packages/gateway/src/targets/openapi/request/build-request.ts': 'copies a URL',
  'packages/gateway/src/targets/openapi/document/document-source.ts':
    'addresses of the configuration, and those that parseUrl has read',
  'packages/gateway/src/front/door.ts': 'publicUrl, checked with the configuration',
  'packages/gateway/src/front/host-gate.ts': 'publicUrl, checked with the configuration',
  // Constant paths below an address that was checked.
  'packages/mcp/src/auth/authorize-user.ts': 'an endpoint that checkUrl has accepted',
  'packages/mcp/src/auth/resource-metadata.ts': 'a constant path of a checked origin',
  'packages/mcp/src/auth/server-metadata.ts': 'the origin of a checked URL',
  // What this program wrote itself.
  'packages/mcp/src/auth/client-registration.ts': 'copies a value; the response was bounded by OAuthHttp',
  'packages/mcp/src/auth/token-request.ts': 'the response was bounded by OAuthHttp',
  'packages/mcp/src/auth/token-set.ts': 'copies a value',
  'packages/mcp/src/auth/metadata-document.ts': 'the response was bounded by OAuthHttp',
  'packages/mcp/src/auth/guard/issuer.ts': 'the response was bounded by OAuthHttp',
  'packages/mcp/src/auth/token-storage.ts': 'a value that was written by the same class',
  'packages/mcp/src/auth/file-lock.node.ts': 'our own file, in a try',
  'packages/mcp/src/auth/file-storage.node.ts': 'our own sealed file',
  'packages/mcp/src/extensions/tasks/task-index.ts': 'a value of our own store',
  'packages/mcp/src/server/server.ts': 'a list that was written by the same class',
  'packages/mcp/src/testing/transcript.ts': 'transcripts of the author, in tests',
  'packages/gateway/src/admin/check-request.ts': 'a schema of this package',
  'packages/gateway/src/targets/openapi/open-api-target.ts': 'copies a value of the caller',
  'packages/gateway/src/store/own-json.ts': 'what the store wrote itself',
  'packages/gateway/src/config/state-file.ts': 'our own file',
  'packages/gateway/src/config/hide-secrets.ts': 'one string of the configuration',
  'packages/gateway/src/config/schema.ts': 'a schema of this package',
  'packages/gateway/src/config/import/import-journal.ts': 'our own file',
  'packages/gateway/src/cli/run-cli.ts': 'package.json of this package',
  'packages/gateway/src/main.ts': 'package.json of this package',
  'packages/gateway/src/cli/read-arguments.ts': 'what the user pipes into a command',
  'packages/gateway/src/admin/contract/admin-client.ts':
    'answers of the user’s own gateway; runs in pages too, which have no SDK',
  // The console runs in a page. A value that cannot be read is an error of that page, inside a try.
  'packages/console/src/ui/safe-url.ts': 'in a try',
  'packages/console/src/features/wire/export-button.tsx': 'a file that the user asked for',
  'packages/console/src/features/playground/question.tsx': 'after isSafeLink',
  'packages/console/src/features/playground/result-view.tsx': 'in a try',
  'packages/console/src/features/playground/content-block.tsx': 'in a try',
  'packages/console/src/features/playground/client-settings.ts': 'settings of the page itself, in a try',
  'packages/console/src/features/target/target-configuration.tsx':
    'what the user types; the form shows the error',
  'packages/console/src/features/configuration/path-at.ts': 'one string of the configuration, in a try',
  'packages/console/src/schema-form/raw-json.tsx': 'what the user types; the form shows the error',
}

/** `[{ file, line, name, use }]` for a source text; comments do not count. */
export function findForeignText(text, file) {
  return text.split('\n').flatMap((source, index) => {
    const code = source.replace(/^\s*(\*|\/\/|\/\*).*$/, '')
    return RULES.filter(({ pattern }) => pattern.test(code)).map(({ name, use }) => ({
      file,
      line: index + 1,
      name,
      use,
    }))
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

/** What is wrong in the repository, as sentences. */
export function checkForeignText(root, allowed = ALLOWED) {
  const unused = new Set(Object.keys(allowed))
  const problems = sourceFiles(root).flatMap((path) => {
    const file = relative(root, path).split(sep).join('/')
    const found = findForeignText(readFileSync(path, 'utf8'), file)
    if (!(file in allowed)) return found.map(({ line, name, use }) => `${file}:${line}: ${name}; use ${use}`)
    if (found.length > 0) unused.delete(file)
    return []
  })
  return [
    ...problems,
    ...[...unused].map((file) => `${file} is allowed in scripts/lib/foreign-text.mjs and needs it no more`),
  ]
}
