import { useMutation } from '@tanstack/react-query'
import { AppWindow } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { JsonObject } from '../../api/contract.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { connectApp } from './app-bridge.ts'
import styles from './app-frame.module.css'
import { callForApp, toolForApp } from './call-for-app.ts'
import { Permission, usePermission } from './permission.tsx'

/** What a view is about: whose it is, and the call that brought it. */
export interface AppSubject {
  readonly target: string | undefined
  readonly input: JsonObject
  readonly result: JsonObject | undefined
}

interface Props {
  readonly subject: AppSubject
  /** Fetches the document and what it may load. */
  readonly load: () => Promise<{ html: string; csp: JsonObject | undefined }>
}

/** A view of a server. Nothing of it runs before the operator wants to see it. */
export function AppFrame({ subject, load }: Props) {
  const open = useMutation({
    mutationFn: async () => {
      const { html, csp } = await load()
      return call('openView', { body: { html, ...(csp && { csp }) } })
    },
  })
  if (open.data) return <Frame path={open.data.path} subject={subject} />
  return (
    <div>
      <Button icon={AppWindow} disabled={open.isPending} onClick={() => open.mutate()}>
        Show the app
      </Button>
      {open.error && <Failure error={open.error} />}
    </div>
  )
}

const LEAST = 120
const MOST = 1200

function Frame({ path, subject }: { path: string; subject: AppSubject }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(320)
  const { request, ask } = usePermission()
  const { target } = subject
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view speaks with the call that it was opened for
  useEffect(() => {
    const gone = new AbortController()
    const stop = connectApp(frame.current!, {
      input: subject.input,
      result: subject.result,
      resize: (wanted) =>
        Number.isFinite(wanted) && setHeight(Math.min(Math.max(Math.round(wanted), LEAST), MOST)),
      callTool: async (own, args) => {
        if (target === undefined) throw new Error('It is not known whose view this is')
        const name = await toolForApp(target, own)
        await ask({ type: 'call', name, args })
        return callForApp(name, args, gone.signal)
      },
      openLink: (url) => ask({ type: 'link', url }),
    })
    return () => {
      stop()
      gone.abort()
    }
  }, [])
  return (
    <section className={styles.app} aria-label="App">
      {request && <Permission request={request} target={target} />}
      <iframe
        ref={frame}
        title={`App of ${target ?? 'a server'}`}
        className={styles.frame}
        // Scripts, and nothing else: without an origin it reaches neither this page nor the gateway.
        sandbox="allow-scripts"
        allow=""
        referrerPolicy="no-referrer"
        src={path}
        height={height}
      />
    </section>
  )
}
