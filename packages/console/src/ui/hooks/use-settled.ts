import { useEffect, useState } from 'react'
import { writeJson } from '../../api/json.ts'

/**
 * The value as it is when it has not changed for a moment: nothing is asked for each key that is pressed. Values that
 * look the same as JSON are the same.
 */
export function useSettled<T>(value: T, milliseconds = 250): T {
  const [settled, setSettled] = useState(value)
  const text = writeJson(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new object that says the same is no change
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds)
    return () => clearTimeout(timer)
  }, [text, milliseconds])
  return settled
}
