// The public entry `@gantry/mcp/memory`: a client and a server in one process.
export { memory, type MemoryOptions } from '../transport/memory.ts'
