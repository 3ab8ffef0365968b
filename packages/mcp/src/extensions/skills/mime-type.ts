const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: 'application/x-sh',
    css: 'text/css',
    csv: 'text/csv',
    gif: 'image/gif',
    htm: 'text/html',
    html: 'text/html',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    js: 'text/javascript',
    json: 'application/json',
    md: 'text/markdown',
    mjs: 'text/javascript',
    pdf: 'application/pdf',
    png: 'image/png',
    py: 'text/x-python',
    sh: 'application/x-sh',
    svg: 'image/svg+xml',
    toml: 'application/toml',
    ts: 'text/x-typescript',
    tsv: 'text/tab-separated-values',
    txt: 'text/plain',
    wasm: 'application/wasm',
    webp: 'image/webp',
    xml: 'application/xml',
    yaml: 'application/yaml',
    yml: 'application/yaml',
    zip: 'application/zip',
  }),
)

/** By the end of the name; what is unknown is text or bytes. */
export function mimeTypeOf(path: string, isText: boolean): string {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase()
  const known = ending === undefined ? undefined : TYPES.get(ending)
  return known ?? (isText ? 'text/plain' : 'application/octet-stream')
}
