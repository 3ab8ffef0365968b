import { lazy, Suspense } from 'react'

const Loaded = lazy(() => import('./markdown.tsx'))

/** Anything that Markdown would show otherwise than as a single paragraph of the same characters. */
const MARKED = /[\n\\*_`#[\]<>|~&!]|^\s*(?:[-+]|\d+[.)])|https?:|www\.|@| {2}/

/** Text without a mark needs no renderer. Until that is here, the text as it is. */
export function Markdown({ text }: { text: string }) {
  if (!MARKED.test(text)) return <p>{text}</p>
  return (
    <Suspense fallback={<p>{text}</p>}>
      <Loaded text={text} />
    </Suspense>
  )
}
