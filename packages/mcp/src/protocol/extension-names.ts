import { McpError } from '../jsonrpc/index.ts'

const LABEL = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*/[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?$`)

/** Names of extensions have a prefix, so that two authors never use the same name (MCP 2026-07-28, basic/versioning). */
export function requireExtensionNames(extensions: object | undefined): void {
  for (const name of Object.keys(extensions ?? {})) {
    if (!NAME.test(name)) {
      const message = `The name of the extension "${name}" needs a prefix, such as com.example/${name || 'name'}`
      throw new McpError('invalid_definition', message)
    }
  }
}
