import { Fragment } from 'react'
import type { JsonObject } from '../../api/contract.ts'
import { Badge, type Tone } from '../../ui/signs/badge.tsx'

interface Hint {
  readonly word: string
  readonly tone: Tone
  readonly title: string
}

/** What a server says about a tool. Nothing that it leaves out is guessed. */
function hintsOf(annotations: JsonObject): Hint[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
  const hints: Hint[] = []
  if (readOnlyHint === true) hints.push({ word: 'read-only', tone: 'ok', title: 'It changes nothing.' })
  if (destructiveHint === true && readOnlyHint !== true)
    hints.push({ word: 'destructive', tone: 'bad', title: 'It may delete or overwrite.' })
  if (destructiveHint === false && readOnlyHint !== true)
    hints.push({ word: 'adds only', tone: 'plain', title: 'It changes things, and deletes nothing.' })
  if (idempotentHint === true)
    hints.push({ word: 'idempotent', tone: 'plain', title: 'Calling it again changes nothing more.' })
  if (openWorldHint === true)
    hints.push({ word: 'open world', tone: 'violet', title: 'It reaches things outside, such as the web.' })
  return hints
}

export function AnnotationBadges({ annotations }: { annotations: JsonObject | undefined }) {
  if (!annotations) return null
  return (
    <>
      {hintsOf(annotations).map(({ word, tone, title }) => (
        <Fragment key={word}>
          {' '}
          <Badge tone={tone} title={title}>
            {word}
          </Badge>
        </Fragment>
      ))}
    </>
  )
}
