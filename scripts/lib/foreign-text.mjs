// Texts from outside are read in few places (docs/adr/0013-bytes-of-strangers.md). This finds all others.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** What throws or takes any amount when the text is foreign, and what to use. */
const RULES = [
  // A place beside the module is no foreign text.
  {
    name: 'new URL',
    pattern:
      /\bnew\s+(?:\w+\.)?URL\s*\((?![^()]*import\.meta\.url\))|\bURL\s*(?:\.\s*parse\b|\bas\b)|=\s*(?:globalThis\.)?URL\s*[;,)\n]/g,
    use: 'parseUrl, or splitTarget for the target of a request',
  },
  {
    name: 'JSON.parse',
    pattern: /\bJSON\s*(?:\?\.|\.)\s*parse\b|\bJSON\s*\[|=\s*(?:globalThis\.)?JSON\s*[;,)\n]/g,
    use: 'parseJson or jsonReader',
  },
  {
    name: 'toString of bytes',
    pattern:
      /\.toString\(\s*['"`](?:utf-?8|latin1|ascii|binary)['"`]|(?:\bBuffer\s*\.\s*(?:from|concat)\([^\n]*\)|\b\w*(?:chunk|bytes|buffer|body|data|piece)s?)\s*\.toString\(\s*\)|\bString\(\w*(?:chunk|bytes|buffer)s?\)|\.(?:utf8|latin1|ascii)Slice\(/gi,
    use: 'decodeBody or readText, which have limits',
  },
  // A decoder that is kept gets its bytes piece by piece; one that is made on the spot gets all of them.
  {
    name: 'a decoder made on the spot',
    pattern: /\bnew\s+TextDecoder\([^()]*\)\s*\.decode\(/g,
    use: 'decodeBody or readText, which have limits',
  },
  {
    name: 'the whole body of a response',
    pattern:
      /\b(?:\w*(?:response|answer|reply)\w*|res)\s*\.(?:json|text|arrayBuffer|blob|bytes|formData)\(\)|\bfetch\([^\n]*\)\s*\.(?:json|text)\(\)|\)\s*\.(?:arrayBuffer|blob|formData)\(\)|\bstream\/consumers\b/gi,
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
  'packages/mcp/src/protocol/foreign-text.ts': {
    'new URL': 1,
    'JSON.parse': 1,
    why: 'is parseUrl; a cut text that was just written',
  },
  'packages/gateway/src/workers/worker-port.ts': {
    'toString of bytes': 1,
    why: 'a header of another worker, which has the limit of headers',
  },
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
    'a decoder made on the spot': 1,
    why: 'the body was counted',
  },
  'packages/gateway/src/chain/results/encoded-text.ts': {
    'toString of bytes': 1,
    why: 'a blob of a result that was read within its limit',
  },
  'packages/gateway/src/admin/http/admin-server.ts': { 'toString of bytes': 1, why: 'the body was counted' },
  'packages/gateway/src/admin/approvals/approval-webhook.ts': {
    'toString of bytes': 1,
    why: 'the body was counted, and has 64 KB at most',
  },
  // Bytes whose number is known.
  'packages/mcp/src/protocol/encoding.ts': {
    'a decoder made on the spot': 3,
    why: 'a header, in a try; a cursor, whose length is checked; what we have sealed ourselves',
  },
  'packages/mcp/src/auth/http/oauth-http.ts': {
    'a decoder made on the spot': 1,
    why: 'a body that was counted',
  },
  'packages/mcp/src/extensions/apps/app-client.ts': {
    'a decoder made on the spot': 1,
    why: 'a part of a message, in a try',
  },
  'packages/mcp/src/extensions/skills/compile-skill.ts': {
    'a decoder made on the spot': 1,
    why: 'files of the author',
  },
  'packages/mcp/src/extensions/skills/verify-file.ts': {
    'a decoder made on the spot': 1,
    why: 'a part of a message, in a try',
  },
  'packages/mcp/src/transport/stdio/client-id-scan.ts': {
    'a decoder made on the spot': 1,
    why: 'the beginning of a line',
  },
  'packages/mcp/src/transport/http/server/event-log.ts': {
    'a decoder made on the spot': 1,
    why: 'an id from a header',
  },
  'packages/gateway/src/cli/run-gateway.ts': {
    'a decoder made on the spot': 1,
    why: 'one chunk of an answer',
  },
  'packages/gateway/src/telemetry/stderr-ring.ts': { 'toString of bytes': 1, why: 'a line that was cut' },
  'packages/gateway/src/chain/lists/catalog-pages.ts': {
    'toString of bytes': 1,
    why: 'a cursor, whose length is checked',
  },
  'packages/gateway/src/targets/openapi/request/access-token.ts': {
    'a decoder made on the spot': 1,
    why: 'bytes that were counted',
  },
  'packages/gateway/src/targets/openapi/request/credentials.ts': {
    'toString of bytes': 1,
    why: 'a configured credential',
  },
  'packages/gateway/src/targets/openapi/result/to-result.ts': {
    'a decoder made on the spot': 3,
    why: 'bytes that were counted',
  },
  // Addresses that the user or the operator gave, checked when they were given.
  'packages/mcp/src/auth/grants/dpop.ts': { 'new URL': 2, why: 'the address of a request of ours' },
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
    'a decoder made on the spot': 1,
    why: 'addresses of the configuration, and those that parseUrl has read; bytes that were counted',
  },
  'packages/gateway/src/identity/issuers/bearer-guard.ts': {
    'new URL': 1,
    'toString of bytes': 1,
    why: 'publicUrl, checked with the configuration; a part of one header, which is bounded',
  },
  'packages/gateway/src/identity/portal/login-flow.ts': {
    'JSON.parse': 1,
    why: 'a value of our own store',
  },
  'packages/gateway/src/identity/portal/sessions.ts': {
    'JSON.parse': 1,
    why: 'a value of our own store',
  },
  'packages/gateway/src/admin/http/console-people.ts': {
    'JSON.parse': 1,
    why: 'a value of our own store',
  },
  'packages/gateway/src/identity/read-form.ts': {
    'toString of bytes': 1,
    why: 'a form that is read up to its limit',
  },
  'packages/gateway/src/identity/sign-in/browser-logins.ts': {
    'JSON.parse': 2,
    why: 'values of our own store',
  },
  'packages/gateway/src/identity/sign-in/document-fetch.ts': {
    'toString of bytes': 1,
    why: 'a document that was read up to its limit',
  },
  'packages/gateway/src/identity/sign-in/interactions.ts': {
    'JSON.parse': 2,
    why: 'values of our own store',
  },
  'packages/gateway/src/identity/sign-in/people.ts': {
    'JSON.parse': 1,
    why: 'a value of our own store',
  },
  'packages/gateway/src/identity/sign-in/sign-in-server.ts': {
    'new URL': 4,
    'toString of bytes': 1,
    why: 'our own address, and paths below /oauth that were compared before; a body that was read up to its limit',
  },
  'packages/gateway/src/identity/sign-in/signing-keys.ts': {
    'JSON.parse': 2,
    why: 'values of our own store',
  },
  'packages/gateway/src/identity/sign-in/store-adapter.ts': {
    'JSON.parse': 1,
    why: 'a value of our own store',
  },
  'packages/gateway/src/identity/vault/key-ring.ts': {
    'toString of bytes': 1,
    why: 'a row of our own store that was just decrypted',
  },
  'packages/gateway/src/identity/sign-in/upstream.ts': {
    'new URL': 2,
    why: 'the configured issuer, and what its metadata names, in a try',
  },
  'packages/gateway/src/identity/keys/kept-keys.ts': { 'JSON.parse': 1, why: 'a value of our own store' },
  'packages/gateway/src/front/front.ts': {
    'new URL': 1,
    why: 'publicUrl, checked with the configuration',
  },
  // Constant paths below an address that was checked.
  'packages/mcp/src/auth/grants/authorize-user.ts': {
    'new URL': 1,
    why: 'an endpoint that checkUrl has accepted',
  },
  'packages/mcp/src/auth/discovery/resource-metadata.ts': {
    'new URL': 2,
    why: 'a constant path of a checked origin',
  },
  'packages/mcp/src/auth/discovery/server-metadata.ts': { 'new URL': 1, why: 'the origin of a checked URL' },
  // What this program wrote itself.
  'packages/mcp/src/auth/grants/client-registration.ts': {
    'JSON.parse': 1,
    'the whole body of a response': 1,
    why: 'copies a value; the response was bounded by OAuthHttp',
  },
  'packages/mcp/src/auth/grants/token-request.ts': {
    'the whole body of a response': 1,
    why: 'the response was bounded by OAuthHttp',
  },
  'packages/mcp/src/auth/tokens/token-set.ts': { 'JSON.parse': 1, why: 'copies a value' },
  'packages/mcp/src/auth/discovery/metadata-document.ts': {
    'the whole body of a response': 1,
    why: 'the response was bounded by OAuthHttp',
  },
  'packages/mcp/src/auth/guard/issuer.ts': {
    'the whole body of a response': 1,
    why: 'the response was bounded by OAuthHttp',
  },
  'packages/mcp/src/auth/tokens/token-storage.ts': {
    'JSON.parse': 1,
    why: 'a value that was written by the same class',
  },
  'packages/mcp/src/auth/tokens/file-lock.node.ts': { 'JSON.parse': 1, why: 'our own file, in a try' },
  'packages/mcp/src/auth/tokens/file-storage.node.ts': {
    'JSON.parse': 1,
    'toString of bytes': 1,
    why: 'our own sealed file',
  },
  'packages/mcp/src/extensions/tasks/task-index.ts': { 'JSON.parse': 1, why: 'a value of our own store' },
  'packages/mcp/src/server/questions/kept-values.ts': { 'JSON.parse': 1, why: 'a value of our own store' },
  'packages/mcp/src/server/server.ts': { 'JSON.parse': 1, why: 'a list that was written by the same class' },
  'packages/mcp/src/testing/transcript.ts': { 'JSON.parse': 4, why: 'transcripts of the author, in tests' },
  'packages/gateway/src/admin/check-request.ts': { 'JSON.parse': 1, why: 'a schema of this package' },
  'packages/gateway/src/targets/openapi/open-api-target.ts': {
    'JSON.parse': 1,
    why: 'copies a value of the caller',
  },
  'packages/gateway/src/store/operations/tables.ts': {
    'JSON.parse': 1,
    'toString of bytes': 1,
    why: 'what the store wrote itself',
  },
  'packages/gateway/src/store/embedded/lmdb-engine.ts': {
    'toString of bytes': 1,
    why: 'keys of our own store',
  },
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
  'packages/gateway/src/cluster/members.ts': {
    'JSON.parse': 1,
    why: 'rows that gateways write in their store',
  },
  'packages/gateway/src/cluster/passport.ts': {
    'toString of bytes': 1,
    why: 'a header of a gateway whose signature was checked',
  },
  'packages/gateway/src/model/read-version.ts': { 'JSON.parse': 1, why: 'package.json of this package' },
  'packages/gateway/src/cli/codemod/rewrite-project.ts': {
    'JSON.parse': 1,
    why: 'package.json of the author who asks for the change',
  },
  'packages/gateway/src/cli/codemod/resources.ts': {
    'new URL': 2,
    why: 'text that is written into a program, and does not run here',
  },
  'packages/gateway/src/audit/thread/chain-writer.ts': {
    'toString of bytes': 1,
    why: 'our own lines, as they were written',
  },
  'packages/gateway/src/audit/read-events.ts': {
    'JSON.parse': 1,
    'toString of bytes': 3,
    why: 'lines of our own files, which have a greatest length',
  },
  'packages/gateway/src/audit/sinks/shipper.ts': { 'JSON.parse': 1, why: 'our own file' },
  'packages/gateway/src/cli/requests/read-arguments.ts': {
    'toString of bytes': 1,
    why: 'what the user pipes into a command',
  },
  'packages/gateway/src/admin/contract/admin-client.ts': {
    'the whole body of a response': 2,
    why: 'answers of the user’s own gateway; runs in pages too, which have no SDK',
  },
  // The console runs in a page. A value that cannot be read is an error of that page, inside a try.
  'packages/console/src/ui/text/safe-url.ts': { 'new URL': 1, why: 'in a try' },
  'packages/console/src/features/wire/files/export-button.tsx': {
    'the whole body of a response': 2,
    why: 'a file that the user asked for, as this gateway wrote it',
  },
  'packages/console/src/features/playground/question.tsx': { 'new URL': 1, why: 'after isSafeLink' },
}

/** `[{ file, line, name, use }]` for a source text, one for each use; comments do not count. */
export function findForeignText(text, file) {
  const code = text.replaceAll(/^[ \t]*(?:\*|\/\/|\/\*).*$/gm, '')
  const lineOf = (index) =>
    code
      .slice(0, index + 1)
      .trimEnd()
      .split('\n').length
  return RULES.flatMap(({ name, pattern, use }) =>
    Array.from(code.matchAll(pattern), ({ index }) => ({ file, line: lineOf(index), name, use })),
  )
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
