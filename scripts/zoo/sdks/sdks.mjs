import { goProgram } from './install/go.mjs'
import { javaProgram } from './install/java.mjs'
import { pythonPrograms } from './install/python.mjs'
import { rubyProgram } from './install/ruby.mjs'
import { rustProgram } from './install/rust.mjs'

/**
 * The SDKs of others. `install` gives the version and the commands of the zoo's server and client, where there is one.
 * `lacks` names features that the SDK has no way to offer or to use, so that they are not tried. `setting` is a setting
 * of the target that lets more of the server work.
 */
export const SDKS = [
  {
    name: 'sdk-python-2',
    title: 'Python `mcp` 2',
    needs: 'python3',
    install: pythonPrograms('mcp>=2.3,<3', 'mcp', 'mcp2'),
    setting: { era: 'legacy' },
    lacks: { server: [], client: [] },
  },
  {
    name: 'sdk-python-1',
    title: 'Python `mcp` 1',
    needs: 'python3',
    install: pythonPrograms('mcp>=1.30,<2', 'mcp', 'mcp1'),
    lacks: { server: ['elicit'], client: [] },
  },
  {
    name: 'sdk-fastmcp',
    title: 'FastMCP',
    needs: 'python3',
    install: pythonPrograms('fastmcp>=4.1,<5', 'fastmcp', 'fastmcp'),
    setting: { era: 'legacy' },
    lacks: { server: [], client: [] },
  },
  {
    name: 'sdk-go',
    title: 'Go',
    needs: 'go',
    install: goProgram,
    setting: { era: 'legacy' },
    lacks: { server: [], client: [] },
  },
  {
    name: 'sdk-rust',
    title: 'Rust `rmcp`',
    needs: 'cargo',
    install: rustProgram,
    setting: { era: 'legacy' },
    lacks: { server: [], client: [] },
  },
  {
    name: 'sdk-java',
    title: 'Java',
    needs: 'mvn',
    install: javaProgram,
    lacks: { server: ['elicit', 'cancel'], client: ['cancel'] },
  },
  {
    name: 'sdk-ruby',
    title: 'Ruby',
    needs: 'ruby',
    install: rubyProgram,
    setting: { era: 'legacy' },
    lacks: { server: ['cancel'], client: [] },
  },
]
