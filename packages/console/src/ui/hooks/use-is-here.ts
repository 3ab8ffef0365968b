import { useEffect, useRef } from 'react'

/**
 * Tells work that ends later, such as a save, whether the component that began it is still shown. When it is not, the
 * person has gone elsewhere and must not be taken away from there.
 */
export function useIsHere(): () => boolean {
  const isHere = useRef(false)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return () => isHere.current
}
