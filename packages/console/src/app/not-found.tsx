import { Link } from '@tanstack/react-router'
import { messageOf } from '../api/api-error.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'

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
  return (
    <Page title="This page failed">
      <Empty
        title={messageOf(error)}
        action={<Button onClick={() => location.reload()}>Load it again</Button>}
      >
        That is a fault of the console. The gateway goes on working.
      </Empty>
    </Page>
  )
}
