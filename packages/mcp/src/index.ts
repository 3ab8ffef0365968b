// Everything that runs on any runtime. Import `@gantry/mcp/server` or `@gantry/mcp/client` to load one side only.
export * from './entries/client.ts'
export * from './entries/memory.ts'
export * from './entries/server.ts'
