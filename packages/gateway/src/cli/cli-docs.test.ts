import { expect, it } from 'vitest'
import type { UserPlaces } from '../config/index.ts'
import { run } from './captured-io.test.support.ts'
import { COMMANDS } from './commands.ts'

const places: UserPlaces = { platform: 'linux', home: '/home/you', env: {}, cwd: '/home/you' }

const INTRODUCTION = `# The command line

Written from \`gantry --help\` by \`npx vitest run packages/gateway/src/cli/cli-docs.test.ts -u\`; a test keeps it true.

Results go to standard output, everything else to standard error, so output can be piped. Every command takes \`--json\`. A command that takes more than a second shows its progress on a terminal. Ctrl+C cancels what is under way.

\`targets\`, \`tools\`, \`call\`, \`read\`, \`prompt\`, \`doctor\` and \`why\` talk to the gateway that runs with the configuration. When none does, they start what they need and stop it again.

| variable | |
|---|---|
| \`GANTRY_CONFIG\` | configuration file, where \`--config\` is not given |
| \`GANTRY_URL\`, \`GANTRY_TOKEN\` | another gateway to talk to, and a key of it with the scope \`gantry:admin\` |
| \`NO_COLOR\`, \`FORCE_COLOR\` | colours never, or always; otherwise on terminals only |
| \`DEBUG\` | set to anything: where an unexpected error comes from |
`

async function help(...argv: string[]): Promise<string> {
  const { code, out } = await run(places, [...argv, '--help'])
  expect(code).toBe(0)
  // They are the same for every command, and explained once.
  const own = argv.length === 0 ? out : out.replace(/Global Options:\n(?: .*\n)+\n?/, '')
  return `\`\`\`text\n${own.trimEnd()}\n\`\`\`\n`
}

it('docs/cli.md is what --help says', async () => {
  const sections = [INTRODUCTION, `## gantry\n\n${await help()}`]
  for (const { name } of COMMANDS) sections.push(`## gantry ${name}\n\n${await help(name)}`)
  await expect(sections.join('\n')).toMatchFileSnapshot('../../../../docs/cli.md')
})
