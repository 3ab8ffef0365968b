import { useQuery } from '@tanstack/react-query'
import { overviewQuery } from '../../api/queries.ts'
import { writeJson } from '../../api/json.ts'
import { Menu } from '../../ui/controls/menu.tsx'
import { notify } from '../../ui/signs/toasts.tsx'
import { clientSettings } from './client-settings.ts'
import { toCli, toCurl, toSdk } from './code-for.ts'
import type { Request } from './to-request.ts'

/** The same request for other places. */
export function CopyAs({ request }: { request: Request }) {
  const { data } = useQuery(overviewQuery)
  const endpoint = data?.endpoint.mcp ?? 'http://127.0.0.1:7332/mcp'
  const copy = (what: string, text: string) =>
    navigator.clipboard
      .writeText(text)
      .then(() => notify(`Copied as ${what}.`))
      .catch(() => notify('The browser did not allow copying.', 'bad'))
  const cli = toCli(request)
  const items = [
    { title: 'curl', onChoose: () => copy('curl', toCurl(endpoint, request, clientSettings.get())) },
    ...(cli === undefined ? [] : [{ title: 'Command line', onChoose: () => copy('a command line', cli) }]),
    { title: 'TypeScript', onChoose: () => copy('TypeScript', toSdk(endpoint, request)) },
    { title: 'JSON', onChoose: () => copy('JSON', writeJson(request, undefined, 2)) },
  ]
  return <Menu title="Copy as" items={items} />
}
