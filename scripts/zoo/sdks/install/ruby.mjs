import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const SERVER = join(import.meta.dirname, '..', 'ruby', 'server.rb')

/** A program for the SDK that is there: as a gem, or as sources whose folders are in `RUBYLIB`. */
export async function rubyProgram() {
  const paths = (process.env.RUBYLIB ?? '').split(':').flatMap((path) => (path === '' ? [] : ['-I', path]))
  return { version: installedVersion(paths), server: ['ruby', ...paths, SERVER] }
}

function installedVersion(paths) {
  try {
    const asked = ['-e', 'require "mcp"; print MCP::VERSION']
    return execFileSync('ruby', [...paths, ...asked], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    throw new Error('the gem `mcp` is not installed')
  }
}
