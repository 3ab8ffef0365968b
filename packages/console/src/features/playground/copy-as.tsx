import { useQuery } from '@tanstack/react-query'
import { Menu } from '@base-ui/react/menu'
import { ChevronDown } from 'lucide-react'
import { overviewQuery } from '../../api/queries.ts'
import { notify } from '../../ui/toasts.tsx'
import { clientSettings } from './client-settings.ts'
import { toCli, toCurl, toSdk } from './code-for.ts'
import styles from './copy-as.module.css'
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
  return (
    <Menu.Root>
      <Menu.Trigger className={styles.trigger}>
        Copy as <ChevronDown size={13} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} className={styles.positioner}>
          <Menu.Popup className={styles.popup}>
            <Menu.Item
              className={styles.item}
              onClick={() => copy('curl', toCurl(endpoint, request, clientSettings.get()))}
            >
              curl
            </Menu.Item>
            {cli !== undefined && (
              <Menu.Item className={styles.item} onClick={() => copy('a command line', cli)}>
                Command line
              </Menu.Item>
            )}
            <Menu.Item className={styles.item} onClick={() => copy('TypeScript', toSdk(endpoint, request))}>
              TypeScript
            </Menu.Item>
            <Menu.Item
              className={styles.item}
              onClick={() => copy('JSON', JSON.stringify(request, undefined, 2))}
            >
              JSON
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
