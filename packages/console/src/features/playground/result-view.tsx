import { Download } from 'lucide-react'
import { useState } from 'react'
import type { JsonObject } from '../../api/contract.ts'
import { readJson, writeJson } from '../../api/json.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Code } from '../../ui/text/code.tsx'
import { CopyButton } from '../../ui/controls/copy.tsx'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Notice } from '../../ui/signs/notice.tsx'
import { saveFile } from '../../ui/text/save-file.ts'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { ContentBlock, EmbeddedResource } from './content-block.tsx'
import { Data } from './data-view.tsx'
import styles from './result-view.module.css'

/** A result as what it is; the JSON is one click away. */
export function ResultView({ method, result }: { method: string; result: JsonObject }) {
  const [tab, setTab] = useState('rendered')
  const text = () => writeJson(result, undefined, 2)
  return (
    <div className={styles.blocks}>
      <div className={styles.actions}>
        <CopyButton text={text} label="Copy result" />
        <Button icon={Download} onClick={() => saveFile(text(), 'result.json')}>
          Download
        </Button>
      </div>
      <Tabs
        label="Result"
        value={tab}
        onChange={setTab}
        tabs={[
          { id: 'rendered', title: 'Result', content: () => <Rendered method={method} result={result} /> },
          { id: 'tree', title: 'JSON', content: () => <JsonTree value={result} open={4} /> },
          {
            id: 'raw',
            title: 'Text',
            content: () => <Code label="result" text={text()} wrap />,
          },
        ]}
      />
    </div>
  )
}

/** Servers repeat structured content as text for older clients; once is enough for people. */
function blocksOf(content: unknown, structured: unknown): readonly unknown[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  if (structured === undefined || blocks.length !== 1) return blocks
  const { type, text } = (blocks[0] ?? {}) as JsonObject
  return type === 'text' && isSame(text, structured) ? [] : blocks
}

function isSame(text: unknown, value: unknown): boolean {
  const read = readJson(String(text))
  return read !== undefined && writeJson(read.value) === writeJson(value)
}

function Rendered({ method, result }: { method: string; result: JsonObject }) {
  const { content, structuredContent, messages, contents, isError } = result
  if (Array.isArray(content) || structuredContent !== undefined) {
    return (
      <div className={styles.blocks}>
        {isError === true && <Notice tone="bad" title="The tool says that it failed" />}
        {blocksOf(content, structuredContent).map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other name
          <ContentBlock key={index} block={block} />
        ))}
        {structuredContent !== undefined && (
          <section>
            <h3>Structured content</h3>
            <Data value={structuredContent} />
          </section>
        )}
      </div>
    )
  }
  if (method === 'prompts/get' && Array.isArray(messages)) {
    return (
      <ul className={styles.blocks}>
        {(messages as JsonObject[]).map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name
          <li key={index} className={styles.message}>
            <strong>{String(message.role)}</strong>
            <ContentBlock block={message.content} />
          </li>
        ))}
      </ul>
    )
  }
  if (Array.isArray(contents)) {
    return (
      <div className={styles.blocks}>
        {contents.map((resource, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <EmbeddedResource key={index} resource={resource as JsonObject} />
        ))}
      </div>
    )
  }
  return <Data value={result} />
}
