import { lazy, Suspense } from 'react'

const Loaded = lazy(() => import('./markdown.tsx'))

/** Until the renderer is here, the text as it is. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p>{text}</p>}>
      <Loaded text={text} />
    </Suspense>
  )
}
