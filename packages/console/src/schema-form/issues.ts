import { createContext, useContext } from 'react'
import type { Issue } from './check-value.ts'

interface FormIssues {
  /** Tells this form from others: what is typed halfway is kept by this name, and by the path of its field. */
  readonly form: string
  readonly issues: readonly Issue[]
}

export const FormIssues = createContext<FormIssues>({ form: '', issues: [] })

export interface FieldIssues {
  /** The id of the box around the field. */
  readonly id: string
  readonly messages: readonly string[]
}

/** What is wrong with the value at a path. A missing value is marked by the word "required" already. */
export function useFieldIssues(path: string): FieldIssues {
  const { form, issues } = useContext(FormIssues)
  const own = issues.filter((issue) => issue.path === path && issue.message !== 'is required')
  return { id: idOf(form, path), messages: own.map(({ message }) => message) }
}

/** The name by which a field keeps what it needs besides its value. */
export function useSlot(path: string): string {
  return `${useContext(FormIssues).form}/at ${path}`
}

/** Ids have no spaces. */
function idOf(form: string, path: string): string {
  return encodeURIComponent(`${form}/${path}`)
}

/** Puts the cursor into the field of an issue. */
export function goToField(form: string, path: string): void {
  const box = document.getElementById(idOf(form, path))
  box?.scrollIntoView({ block: 'center' })
  box?.querySelector<HTMLElement>('input, textarea, select, button')?.focus()
}
