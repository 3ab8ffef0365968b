// node conformance/write-results.mjs FILE…   puts the results of one or several runs (--json FILE) into the docs
import { readFileSync } from 'node:fs'
import { writeDocument } from './lib/document.mjs'

const files = process.argv.slice(2)
writeDocument(files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).results))
