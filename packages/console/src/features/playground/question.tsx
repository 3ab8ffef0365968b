import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { JsonObject, PlaygroundQuestion } from '../../api/contract.ts'
import { checkValue } from '../../schema-form/check-value.ts'
import { initialValue } from '../../schema-form/initial-value.ts'
import type { Schema } from '../../schema-form/schema.ts'
import { SchemaForm } from '../../schema-form/schema-form.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/notice.tsx'
import { isSafeLink } from '../../ui/safe-url.ts'
import styles from './question.module.css'
import { Sampling, type QuestionProps } from './sampling.tsx'

/** Something that the server wants to know before it goes on. */
export function Question({ call: id, question }: { call: string; question: PlaygroundQuestion }) {
  const answer = useMutation({
    mutationFn: (given: JsonObject) =>
      call('answerQuestion', { params: { id }, body: { question: question.id, answer: given } }),
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

function FormQuestion({ question: { params }, onAnswer, isPending }: QuestionProps) {
  const schema = (params.requestedSchema ?? {}) as Schema
  const [value, setValue] = useState<unknown>(() => initialValue(schema, schema) ?? {})
  const issues = checkValue(schema, schema, value)
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer({ action: 'accept', content: value as JsonObject })
      }}
    >
      <h3>The server asks: {String(params.message ?? '')}</h3>
      <SchemaForm label="Answer" schema={schema} value={value} onChange={setValue} />
      {issues.length > 0 && (
        <p className={styles.hint}>
          {issues.map(({ path, message }) => `${path || 'The answer'} ${message}`).join('; ')}
        </p>
      )}
      <div className={styles.actions}>
        <Button type="submit" tone="primary" disabled={isPending || issues.length > 0}>
          Accept
        </Button>
        <Refusals onAnswer={onAnswer} isPending={isPending} />
      </div>
    </form>
  )
}

function UrlQuestion({ question: { params }, onAnswer, isPending }: QuestionProps) {
  const url = String(params.url ?? '')
  const isSafe = isSafeLink(url)
  return (
    <div className={styles.form}>
      <h3>The server asks you to open a page: {String(params.message ?? '')}</h3>
      <p className={styles.url}>
        {isSafe ? (
          <>
            <strong>{new URL(url).host}</strong>
            <br />
            <a href={url} target="_blank" rel="noopener noreferrer">
              {url}
            </a>
          </>
        ) : (
          <>
            This address cannot be opened safely: <code>{url}</code>
          </>
        )}
      </p>
      <div className={styles.actions}>
        {isSafe && (
          <Button tone="primary" disabled={isPending} onClick={() => onAnswer({ action: 'accept' })}>
            I agree to open it
          </Button>
        )}
        <Refusals onAnswer={onAnswer} isPending={isPending} />
      </div>
    </div>
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
