import { useState } from 'react'
import type { JsonObject } from '../../api/contract.ts'
import { Button } from '../../ui/controls/button.tsx'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { isSafeLink } from '../../ui/text/safe-url.ts'
import styles from './app-frame.module.css'

type What =
  | { readonly type: 'call'; readonly name: string; readonly args: JsonObject }
  | { readonly type: 'link'; readonly url: string }

export interface PermissionRequest {
  readonly what: What
  readonly settle: (isAllowed: boolean) => void
}

/** What a view wants to do waits here for the operator, one after the other. */
export function usePermission(): {
  request: PermissionRequest | undefined
  ask: (what: What) => Promise<void>
} {
  const [requests, setRequests] = useState<readonly PermissionRequest[]>([])
  const ask = (what: What) =>
    new Promise<void>((resolve, reject) => {
      if (what.type === 'link' && !isSafeLink(what.url)) return reject(new Error('This link is not safe'))
      const request: PermissionRequest = {
        what,
        settle: (isAllowed) => {
          setRequests((all) => all.filter((one) => one !== request))
          if (isAllowed) resolve()
          else reject(new Error('The operator refused it'))
        },
      }
      setRequests((all) => [...all, request])
    })
  return { request: requests[0], ask }
}

/** Asks before a view calls a tool or opens a page. */
export function Permission({
  request: { what, settle },
  target,
}: {
  request: PermissionRequest
  target: string | undefined
}) {
  const allow = () => {
    if (what.type === 'link') window.open(what.url, '_blank', 'noopener,noreferrer')
    settle(true)
  }
  return (
    <section className={styles.permission} aria-label="The app asks">
      {what.type === 'call' ? (
        <>
          <p>
            The app of “{target}” wants to call <code>{what.name}</code>
          </p>
          <JsonTree value={what.args} open={2} />
        </>
      ) : (
        <p>
          The app of “{target}” wants to open <code>{what.url}</code>
        </p>
      )}
      <p className={styles.actions}>
        <Button tone="primary" onClick={allow}>
          Allow
        </Button>
        <Button onClick={() => settle(false)}>Refuse</Button>
      </p>
    </section>
  )
}
