const URL_3000 = 'http://127.0.0.1:3000/mcp'

/**
 * What can serve the server. `layers` are folders of `templates`: the files of later ones replace those of earlier
 * ones. The first framework of each transport is the default.
 */
export const FRAMEWORKS = {
  stdio: { transport: 'stdio', label: 'standard input and output', layers: ['base', 'stdio'] },
  node: { transport: 'http', label: 'plain Node', layers: ['base', 'http', 'node'], url: URL_3000 },
  express: { transport: 'http', label: 'Express', layers: ['base', 'http', 'express'], url: URL_3000 },
  hono: { transport: 'http', label: 'Hono', layers: ['base', 'http', 'hono'], url: URL_3000 },
  next: {
    transport: 'http',
    label: 'Next.js',
    layers: ['base', 'http', 'next'],
    url: 'http://localhost:3000/mcp',
  },
  workers: {
    transport: 'http',
    label: 'Cloudflare Workers',
    layers: ['base', 'workers'],
    url: 'http://localhost:8787/mcp',
  },
}

export const TRANSPORTS = {
  stdio: 'stdio: clients start the program',
  http: 'HTTP: clients connect to a URL',
}

export function frameworksOf(transport) {
  return Object.keys(FRAMEWORKS).filter((name) => FRAMEWORKS[name].transport === transport)
}
