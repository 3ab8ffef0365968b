import { isJsonObject, type JsonObject, McpError } from '../jsonrpc/index.ts'
import type { ElicitResult, JsonSchema } from '../protocol/index.ts'
import { applyDefaults, compileSchema, describeIssues } from '../schema/index.ts'

/** Fills a form with the schema's defaults and checks it (client/elicitation; SEP-1034). */
export async function completeForm(
  schema: JsonSchema | undefined,
  answer: ElicitResult,
): Promise<JsonObject> {
  if (answer.action !== 'accept' || !isJsonObject(schema)) return { ...answer }
  const content = applyDefaults(schema, answer.content ?? {})
  const compiled = compileSchema(schema, { io: 'input', trust: 'foreign' })
  const checked = await compiled.validate(content)
  if (checked.ok) return { ...answer, content }
  throw new McpError(
    'invalid_answer',
    `The answer does not fit the form: ${describeIssues(checked.issues)}`,
    { details: { issues: checked.issues } },
  )
}
