import type { JsonObject, PlaygroundQuestion } from '../../api/contract.ts'
import { useKept } from '../../api/kept.ts'
import { RawJson } from '../../schema-form/raw-json.tsx'
import { goToUnreadable } from '../../schema-form/unreadable.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Check } from '../../ui/controls/fields.tsx'
import { submitByKeys } from '../../ui/controls/keys.ts'
import { ContentBlock } from './content-block.tsx'
import styles from './question.module.css'

export interface QuestionProps {
  readonly question: PlaygroundQuestion
  readonly onAnswer: (answer: JsonObject) => void
  readonly isPending: boolean
}

/** The name under which the text typed for a question is kept until the question is answered. */
export function answerKey(question: string): string {
  return `answer ${question}`
}

/** The name of the server that asks: an answer goes to it, and to no other. */
export function whoAsks(target: string | undefined): string {
  return target === undefined ? 'The server' : `“${target}”`
}

interface Draft {
  readonly text: string
  readonly model: string
  /** The whole result, where the person writes it as JSON. */
  readonly raw?: unknown
}

/** The server wants a model's answer; here a person gives it. */
export function Sampling({ question: { id, params, target }, onAnswer, isPending }: QuestionProps) {
  const [draft, setDraft] = useKept<Draft>(answerKey(id), () => ({ text: '', model: 'console' }))
  const { text, model, raw } = draft
  const messages = Array.isArray(params.messages) ? (params.messages as JsonObject[]) : []
  const { messages: _, _meta, ...rest } = params
  const answer: JsonObject = {
    role: 'assistant',
    content: { type: 'text', text },
    model,
    stopReason: 'endTurn',
  }
  return (
    <form
      className={styles.form}
      onKeyDown={submitByKeys}
      onSubmit={(event) => {
        event.preventDefault()
        if (goToUnreadable(event.currentTarget)) return
        onAnswer(raw === undefined ? answer : (raw as JsonObject))
      }}
    >
      <h3>{whoAsks(target)} asks your model</h3>
      <ul className={styles.messages}>
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a conversation has no other names
          <li key={index}>
            <strong>{String(message.role)}</strong>
            {[message.content].flat().map((block, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <ContentBlock key={at} block={block} />
            ))}
          </li>
        ))}
      </ul>
      <details>
        <summary>What it asked for besides</summary>
        <JsonTree value={rest} open={2} />
      </details>
      <Check
        label="Write the whole result as JSON"
        checked={raw !== undefined}
        onChange={(checked) => setDraft({ text, model, ...(checked && { raw: answer }) })}
      />
      {raw === undefined ? (
        <>
          <label className={styles.text}>
            Answer
            <textarea
              rows={4}
              value={text}
              onChange={(event) => setDraft({ ...draft, text: event.target.value })}
            />
          </label>
          <label className={styles.text}>
            Model
            <input value={model} onChange={(event) => setDraft({ ...draft, model: event.target.value })} />
          </label>
        </>
      ) : (
        <RawJson
          label="Result"
          slot={`${answerKey(id)}/raw`}
          value={raw}
          onChange={(value) => setDraft({ ...draft, raw: value ?? {} })}
        />
      )}
      <div className={styles.actions}>
        <Button type="submit" tone="primary" disabled={isPending || (raw === undefined && text === '')}>
          Answer
        </Button>
        <Button disabled={isPending} onClick={() => onAnswer({ action: 'decline' })}>
          Decline
        </Button>
      </div>
    </form>
  )
}
