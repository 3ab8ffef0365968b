import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { takeCredentialFromUrl } from './api/session.ts'
import { watchUse } from './api/used.ts'
import { App } from './app/app.tsx'
import { applyTheme } from './app/theme.ts'
import './app/global.css'

applyTheme()
watchUse()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App credential={takeCredentialFromUrl()} />
  </StrictMode>,
)
