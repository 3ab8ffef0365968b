import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalJson } from '@gantry/mcp/exchange'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, onTestFinished } from 'vitest'
import { listSegments } from './segments.ts'
export { callEvent, testTrail } from './trail-parts.test.support.ts'

/** A folder that goes when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-audit-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The lines of all files. */
export async function linesIn(stateDir: string): Promise<string[]> {
  const segments = await listSegments(join(stateDir, 'audit'))
  return segments.flatMap(({ file }) => readFileSync(file, 'utf8').split('\n').filter(Boolean))
}

const schema = JSON.parse(
  readFileSync(new URL('../../schema/audit-event.schema.json', import.meta.url), 'utf8'),
) as object
const validate = new Ajv2020({ allErrors: true, strict: true, strictRequired: false }).compile(schema)

/** Each event is in the canonical form, and as the schema has it. */
export function expectEvents(lines: readonly string[]): void {
  for (const line of lines) {
    const event: unknown = JSON.parse(line)
    expect(canonicalJson(event)).toBe(line)
    expect(validate(event) ? [] : validate.errors, line).toEqual([])
  }
}
