#!/usr/bin/env node
import { runCreate } from '../src/run-create.mjs'

process.exitCode = await runCreate(process.argv.slice(2))
