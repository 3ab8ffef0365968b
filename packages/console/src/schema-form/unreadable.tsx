import styles from './schema-form.module.css'

/** Says that the text above is no value. What it was before is not sent in its place: see `goToUnreadable`. */
export function Unreadable({ text }: { text: string }) {
  return (
    <p role="alert" tabIndex={-1} data-unreadable className={styles.issue}>
      {text}
    </p>
  )
}

/** Whether a form shows a text that cannot be sent; takes the person there. */
export function goToUnreadable(form: Element): boolean {
  const first = form.querySelector<HTMLElement>('[data-unreadable]')
  first?.focus()
  return first !== null
}
