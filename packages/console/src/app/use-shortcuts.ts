import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryClient, sessionQuery } from '../api/queries.ts'
import { mayUse } from '../api/contract.ts'
import { PAGES } from './pages.ts'

interface Shortcuts {
  readonly onPalette: () => void
  readonly onHelp: () => void
}

/** Ctrl/⌘ K opens the palette, `?` the help, `/` goes to the page's search field, `g` and a letter to a page. */
export function useShortcuts({ onPalette, onHelp }: Shortcuts): void {
  const navigate = useNavigate()
  useEffect(() => {
    let afterG = 0
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return onPalette()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      const role = queryClient.getQueryData(sessionQuery.queryKey)?.role
      const page = PAGES.find(({ key, uses }) => key === event.key && mayUse(role, uses))
      if (event.timeStamp - afterG < 1_000 && page) {
        afterG = 0
        void navigate({ to: page.to })
      } else if (event.key === 'g') {
        afterG = event.timeStamp
      } else if (event.key === '?') {
        event.preventDefault()
        onHelp()
      } else if (event.key === '/') {
        const field = document.querySelector<HTMLElement>('main input[type=search]')
        if (!field) return
        event.preventDefault()
        field.focus()
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate, onPalette, onHelp])
}

function isTyping(event: KeyboardEvent): boolean {
  // The first element of the path: the editor lives in a shadow tree.
  const [element] = event.composedPath()
  return (
    element instanceof HTMLElement &&
    (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName))
  )
}
