import { lazy, Suspense } from 'react'
import { Skeleton } from '../skeleton.tsx'
import type { EditorProps } from './editor.tsx'

const Loaded = lazy(() => import('./editor.tsx'))

export function Editor(props: EditorProps) {
  return (
    <Suspense fallback={<Skeleton lines={6} />}>
      <Loaded {...props} />
    </Suspense>
  )
}
