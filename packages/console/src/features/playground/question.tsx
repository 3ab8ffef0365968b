import { useMutation } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { call } from '../../api/call.ts'
import type { JsonObject, PlaygroundQuestion } from '../../api/contract.ts'
import { forget, useKept } from '../../api/kept.ts'
import { checkValue } from '../../schema-form/check-value.ts'
import { initialValue } from '../../schema-form/initial-value.ts'
import { IssueList } from '../../schema-form/issue-list.tsx'
import type { Schema } from '../../schema-form/schema.ts'
import { SchemaForm } from '../../schema-form/schema-form.tsx'
import { goToUnreadable } from '../../schema-form/unreadable.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { submitByKeys } from '../../ui/controls/keys.ts'
import { isSafeLink } from '../../ui/text/safe-url.ts'
import styles from './question.module.css'
import { answerKey, Sampling, whoAsks, type QuestionProps } from './sampling.tsx'

/** Something that the server wants to know before it goes on. */
export function Question({ call: id, question }: { call: string; question: PlaygroundQuestion }) {
  const answer = useMutation({
    mutationFn: (given: JsonObject) =>
      call('answerQuestion', { params: { id }, body: { question: question.id, answer: given } }),
    onSuccess: () => forget(answerKey(question.id)),
  })
  const props = { question, onAnswer: answer.mutate, isPending: answer.isPending || answer.isSuccess }
  return (
    <section className={styles.question} aria-label="Question from the server">
      {question.kind === 'form' && <FormQuestion {...props} />}
      {question.kind === 'url' && <UrlQuestion {...props} />}
      {question.kind === 'sampling' && <Sampling {...props} />}
      {answer.error && <Failure error={answer.error} />}
    </section>
  )
}

function FormQuestion({ question: { id, params, target }, onAnswer, isPending }: QuestionProps) {
  const schema = (params.requestedSchema ?? {}) as Schema
  const form = answerKey(id)
  const [value, setValue] = useKept<unknown>(form, () => initialValue(schema, schema) ?? {})
  const issues = checkValue(schema, schema, value)
  return (
    <form
      className={styles.form}
      noValidate
      onKeyDown={submitByKeys}
      onSubmit={(event) => {
        event.preventDefault()
        if (issues.length > 0 || goToUnreadable(event.currentTarget)) return
        onAnswer({ action: 'accept', content: value as JsonObject })
      }}
    >
      <h3>
        {whoAsks(target)} asks: {String(params.message ?? '')}
      </h3>
      <SchemaForm
        label="Answer"
        schema={schema}
        value={value}
        onChange={setValue}
        issues={issues}
        slot={form}
      />
      <IssueList form={form} issues={issues} />
      <div className={styles.actions}>
        <Button type="submit" tone="primary" disabled={isPending || issues.length > 0}>
          Accept
        </Button>
        <Refusals onAnswer={onAnswer} isPending={isPending} />
      </div>
    </form>
  )
}

function UrlQuestion({ question: { params, target }, onAnswer, isPending }: QuestionProps) {
  const url = String(params.url ?? '')
  const isSafe = isSafeLink(url)
  return (
    <div className={styles.form}>
      <h3>
        {whoAsks(target)} asks you to open a page: {String(params.message ?? '')}
      </h3>
      {isSafe ? (
        <PageAddress url={url} />
      ) : (
        <p>
          This address cannot be opened safely: <code>{url}</code>
        </p>
      )}
      <div className={styles.actions}>
        {isSafe && (
          <Button
            tone="primary"
            icon={ExternalLink}
            disabled={isPending}
            onClick={() => {
              window.open(url, '_blank', 'noopener,noreferrer')
              onAnswer({ action: 'accept' })
            }}
          >
            Open the page
          </Button>
        )}
        <Refusals onAnswer={onAnswer} isPending={isPending} />
      </div>
    </div>
  )
}

/** A page that was opened for a server, while the call waits for what happens there. */
export function OpenedPage({ question: { params } }: { question: PlaygroundQuestion }) {
  const url = String(params.url ?? '')
  if (!isSafeLink(url)) return null
  return (
    <section className={styles.question} aria-label="Page of the server">
      <h3>Finish on the page that was opened: {String(params.message ?? '')}</h3>
      <PageAddress url={url} />
      <p>The call goes on by itself when the server hears from that page.</p>
    </section>
  )
}

function PageAddress({ url }: { url: string }) {
  return (
    <p>
      <strong>{new URL(url).host}</strong>
      <br />
      <a href={url} target="_blank" rel="noopener noreferrer">
        {url}
      </a>
    </p>
  )
}

function Refusals({ onAnswer, isPending }: Omit<QuestionProps, 'question'>) {
  return (
    <>
      <Button disabled={isPending} onClick={() => onAnswer({ action: 'decline' })}>
        Decline
      </Button>
      <Button disabled={isPending} onClick={() => onAnswer({ action: 'cancel' })}>
        Dismiss
      </Button>
    </>
  )
}
