import { skills } from '@gantry/mcp/extensions/skills'
import { complete } from '@gantry/mcp/exchange'
import { Server, tool, user } from '@gantry/mcp/server'

const SECTIONS = ['open', 'closed']
const skill = (name: string) => ({
  files: { 'SKILL.md': `---\nname: ${name}\ndescription: About ${name}\n---\n# ${name}\n`, 'more.md': name },
})

/** One thing of each kind that policies may leave open, and one that they may close. `seen` has what reached it. */
export function vaultServer(): { app: Server; seen: string[] } {
  const seen: string[] = []
  const app = new Server({
    name: 'vault',
    instructions: 'The vault holds everything',
    tools: { open: tool({ run: () => 'open' }), closed: tool({ run: () => 'closed' }) },
    prompts: Object.fromEntries(
      SECTIONS.map((name) => [
        name,
        { arguments: { of: { complete: () => [name] } }, run: () => [user(`${name} prompt`)] },
      ]),
    ),
    resources: SECTIONS.map((name) => ({ uri: `doc://${name}/readme`, name, text: `${name} text` })),
    templates: {
      open: {
        uriTemplate: 'doc://open/{page}',
        read: ({ page }) => (page === 'page' ? 'open page' : undefined),
        complete: { page: () => ['page'] },
      },
      closed: {
        uriTemplate: 'doc://closed/{page}',
        read: ({ page }) => (page === 'page' ? 'closed page' : undefined),
        complete: { page: () => ['page'] },
      },
      any: {
        uriTemplate: 'doc://{section}/of/{page}',
        read: ({ section }) => (SECTIONS.includes(String(section)) ? `${section} of` : undefined),
        complete: { section: () => SECTIONS },
      },
    },
  })
  skills(app, [skill('open'), skill('closed')])
  for (const name of SECTIONS) app.method(`vendor/${name}`, () => complete({ said: name }))
  app.use((exchange, next) => {
    // The gateway asks for lists and signs of life at any time.
    if (!/\/list$|^ping$|discover$|listen$/.test(exchange.method))
      seen.push(`${exchange.method} ${JSON.stringify({ ...exchange.params, _meta: undefined })}`)
    return next()
  })
  return { app, seen }
}
