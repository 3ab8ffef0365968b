// Everything that runs on any runtime. Import `@gantry/mcp/server` or `@gantry/mcp/client` to load one side only.
export * from './transport/client.ts'
export * from './transport/server.ts'
