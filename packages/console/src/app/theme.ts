import { createStore, type Store } from '../api/store.ts'

export type Theme = 'system' | 'light' | 'dark'
const KEY = 'gantry.theme'

export const theme: Store<Theme> = createStore<Theme>(stored())

export function applyTheme(): void {
  const chosen = theme.get()
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}

export function setTheme(chosen: Theme): void {
  localStorage.setItem(KEY, chosen)
  theme.set(chosen)
  applyTheme()
}

export function nextTheme(current: Theme): Theme {
  return current === 'system' ? 'light' : current === 'light' ? 'dark' : 'system'
}

function stored(): Theme {
  const value = localStorage.getItem(KEY)
  return value === 'light' || value === 'dark' ? value : 'system'
}
