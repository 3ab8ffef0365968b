import type { McpError } from '@gantry/mcp/client'
import type { Explanation } from '../contract.ts'
import type { FailureContext } from './failure-context.ts'

/** The process could not even be started. */
export function explainSpawn(error: McpError, { model }: FailureContext): Explanation {
  const what = error.message
  const { code } = error.details
  if (model.kind !== 'stdio') return { code: 'spawn_failed', what }
  if (/working directory/.test(what)) {
    return {
      code: 'cwd_missing',
      what,
      fix: 'Correct "cwd" in the configuration, or create the folder. Relative paths start at the configuration file.',
    }
  }
  if (code === 'ENOENT' && /\s/.test(model.command) && !/[\\/]/.test(model.command)) {
    const [program, ...args] = model.command.split(/\s+/)
    return {
      code: 'command_with_arguments',
      what,
      meaning: 'The command holds a whole command line; the gateway uses no shell that would take it apart.',
      fix: `Write "command": ${JSON.stringify(program)} and "args": ${JSON.stringify([...args, ...model.args.map(String)])}.`,
    }
  }
  if (code === 'ENOENT') {
    return {
      code: 'command_not_found',
      what,
      fix:
        INSTALL[model.command] ??
        `Install "${model.command}", or write its full path. "which ${model.command}" shows where it is.`,
    }
  }
  if (code === 'EACCES') {
    return { code: 'not_executable', what, fix: `Run: chmod +x ${model.command}` }
  }
  return { code: 'spawn_failed', what }
}

const INSTALL: Readonly<Record<string, string>> = {
  npx: '"npx" comes with Node.js: install that, or write its full path.',
  node: 'Install Node.js, or write the full path of "node".',
  uvx: '"uvx" comes with uv: https://docs.astral.sh/uv/ – or write its full path.',
  uv: 'Install uv: https://docs.astral.sh/uv/ – or write its full path.',
  python: 'Install Python, or try "python3".',
  docker: 'Install Docker, or write the full path of "docker".',
}
