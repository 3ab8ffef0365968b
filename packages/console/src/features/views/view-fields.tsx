import type { Access } from '../../api/contract.ts'
import { TextField } from '../../ui/controls/text-field.tsx'
import { withMember, type RawView } from './raw-view.ts'
import styles from './views.module.css'

interface Props {
  readonly draft: { readonly name: string; readonly view: RawView }
  readonly isNew: boolean
  readonly access: Access
  readonly onName: (name: string) => void
  readonly onView: (view: RawView) => void
}

/** The parts of a view that are about all of it. */
export function ViewFields({ draft: { name, view }, isNew, access, onName, onView }: Props) {
  const isTaken = isNew && access.views.some((one) => one.name === name)
  return (
    <div className={styles.form}>
      {isNew && (
        <TextField
          label="Name"
          value={name}
          onChange={onName}
          placeholder="support"
          hint={`Clients connect to /mcp/${name || 'NAME'}`}
          wrong={isTaken ? 'There is a view of this name already.' : undefined}
          isCode
        />
      )}
      <TextField
        label="What is in it"
        // The last line may be one that is still typed.
        value={(view.use ?? []).join('\n')}
        onChange={(text) => onView(withMember(view, 'use', text === '' ? undefined : text.split('\n')))}
        placeholder={'github/issue_*\ntools:notes/*'}
        hint="One pattern in a line: TARGET/NAME, with tools:, prompts: or resources: in front for one kind."
        rows={4}
        isCode
      />
      <TextField
        label="Title"
        value={view.title ?? ''}
        onChange={(title) => onView(withMember(view, 'title', title))}
      />
      <TextField
        label="Instructions for the model"
        value={view.instructions ?? ''}
        onChange={(instructions) => onView(withMember(view, 'instructions', instructions))}
        rows={4}
      />
      <Keys access={access} view={view} onView={onView} />
    </div>
  )
}

/** Who may use it, by key. Other ways to say it stay as the file has them. */
function Keys({ access, view, onView }: Pick<Props, 'access' | 'onView'> & { view: RawView }) {
  if (access.keys.length === 0) return null
  const { who = {} } = view
  const chosen = who.apiKeys ?? []
  const set = (name: string, isChosen: boolean) => {
    const others = chosen.filter((one) => one !== name)
    onView(withMember(view, 'who', withMember(who, 'apiKeys', isChosen ? [...others, name] : others)))
  }
  return (
    <fieldset className={styles.keys}>
      <legend>Who may use it (none: everybody who comes in)</legend>
      {access.keys.map(({ name }) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={(event) => set(name, event.target.checked)}
          />
          key {name}
        </label>
      ))}
    </fieldset>
  )
}
