#!/usr/bin/env node
// The demo's second target: the same notes, in a process of its own, as clients' configurations have them.
import { serveStdio } from '@gantry/mcp/server/node'
import { createDemoServer } from './demo-server.ts'

await serveStdio(createDemoServer())
