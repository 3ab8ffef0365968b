import { Link } from '@tanstack/react-router'
import { messageOf } from '../api/call.ts'
import { Button } from '../ui/controls/button.tsx'
import { Empty } from '../ui/signs/empty.tsx'
import { Page } from '../ui/layout/page.tsx'
import { PageUnavailable } from './lazy-page.ts'

export function NotFound() {
  return (
    <Page title="Nothing here">
      <Empty title="This page does not exist" action={<Link to="/">Go to the overview</Link>}>
        The address may be from another version, or it was cut when it was copied.
      </Empty>
    </Page>
  )
}

/** The last resort for errors of the console itself. */
export function Crashed({ error }: { error: unknown }) {
  const isAway = error instanceof PageUnavailable
  return (
    <Page title={isAway ? 'This page is not there' : 'This page failed'}>
      <Empty
        title={messageOf(error)}
        action={<Button onClick={() => location.reload()}>Load it again</Button>}
      >
        {isAway
          ? 'The gateway does not answer, or it was updated since the console was opened. Load it again when the gateway is back.'
          : 'That is a fault of the console. The gateway goes on working.'}
      </Empty>
    </Page>
  )
}
