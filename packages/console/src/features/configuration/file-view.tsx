import type { ConfigText } from '../../api/contract.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Editor } from '../../ui/editor/editor.tsx'
import { Notice } from '../../ui/signs/notice.tsx'
import styles from './configuration-page.module.css'
import { Problems } from './problems.tsx'

interface Props {
  readonly config: ConfigText
  readonly line: string | undefined
  readonly onShow: (line: number) => void
  readonly onBack: () => void
}

/** The file as it is, with its errors, while edits of it wait to be saved. */
export function FileView({ config, line, onShow, onBack }: Props) {
  return (
    <div className={styles.edit}>
      <Notice tone="warn" title="This is the file, without your edits">
        Your edits are not saved and not lost. <Button onClick={onBack}>Back to my edits</Button>
      </Notice>
      <div className={styles.editor}>
        <Editor
          label="The file as it is"
          format={config.format}
          value={config.text}
          problems={config.problems}
          line={line === undefined ? undefined : Number(line)}
          tall
        />
      </div>
      <Problems problems={config.problems} onShow={onShow} />
    </div>
  )
}
