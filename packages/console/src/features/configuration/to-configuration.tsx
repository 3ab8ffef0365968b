import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMay } from '../../api/may.tsx'

/** A link for those who may see the file; the words alone for the others. */
export function ToConfiguration({ children }: { children: ReactNode }) {
  return useMay()('config') ? <Link to="/configuration">{children}</Link> : children
}
