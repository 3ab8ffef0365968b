import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import styles from './button.module.css'

interface ButtonProps extends ComponentProps<'button'> {
  readonly tone?: 'plain' | 'primary' | 'danger' | 'ghost'
  readonly icon?: LucideIcon | undefined
  readonly children?: ReactNode
}

export function Button({ tone = 'plain', icon: Icon, children, className, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`${styles.button} ${styles[tone] ?? ''} ${className ?? ''}`} {...rest}>
      {Icon && <Icon size={14} aria-hidden />}
      {children}
    </button>
  )
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly label: string
  readonly icon: LucideIcon
}

export function IconButton({ label, icon: Icon, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`${styles.button} ${styles.ghost} ${styles.icon} ${className ?? ''}`}
      {...rest}
    >
      <Icon size={15} aria-hidden />
    </button>
  )
}
