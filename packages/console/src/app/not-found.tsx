import { Link } from '@tanstack/react-router'
import { messageOf } from '../api/call.ts'
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
  const isOutdated = /dynamically imported module|importing a module script/i.test(messageOf(error))
  return (
    <Page title={isOutdated ? 'This page is out of date' : 'This page failed'}>
      <Empty
        title={isOutdated ? 'The gateway has a newer console' : messageOf(error)}
        action={<Button onClick={() => location.reload()}>Load it again</Button>}
      >
        {isOutdated
          ? 'It was updated while this page was open, or it does not answer. Loading the page again shows which.'
          : 'That is a fault of the console. The gateway goes on working.'}
      </Empty>
    </Page>
  )
}
