// Writes packages/gateway/schema/admin.schema.json from the types of the admin contract: requests are checked with
// it, and the OpenAPI document is made from it. With --check, says whether it is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createGenerator } from 'ts-json-schema-generator'

const path = (relative) => fileURLToPath(new URL(`../packages/gateway/${relative}`, import.meta.url))
const file = path('schema/admin.schema.json')

const generator = createGenerator({
  path: path('src/admin/contract/routes.ts'),
  tsconfig: path('tsconfig.json'),
  type: 'Routes',
  skipTypeCheck: true,
  sortProps: true,
})
const schema = generator.createSchema('Routes')
const text = `${JSON.stringify(schema, undefined, 1)}\n`

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    console.error('packages/gateway/schema/admin.schema.json is old: run node scripts/admin-schema.mjs')
    process.exitCode = 1
  }
} else {
  writeFileSync(file, text)
}
