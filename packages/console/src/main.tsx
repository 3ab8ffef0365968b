import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { takeTokenFromUrl } from './api/token.ts'
import { App } from './app/app.tsx'
import { applyTheme } from './app/theme.ts'
import './app/global.css'

takeTokenFromUrl()
applyTheme()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
