import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { notify } from '../signs/toasts.tsx'

/** Copies a text; `label` shows as a word, or as the name of an icon when `compact`. */
export function CopyButton({
  text,
  label = 'Copy',
  compact = false,
}: {
  text: string | (() => string)
  label?: string
  compact?: boolean
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () =>
    navigator.clipboard
      .writeText(typeof text === 'string' ? text : text())
      .then(() => setCopied(true))
      .catch(() => notify('The browser did not allow copying.', 'bad'))
  const icon = copied ? Check : Copy
  return compact ? (
    <IconButton label={copied ? 'Copied' : label} icon={icon} onClick={copy} />
  ) : (
    <Button icon={icon} onClick={copy}>
      {copied ? 'Copied' : label}
    </Button>
  )
}
