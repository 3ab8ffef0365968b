import { Link } from '@tanstack/react-router'
import type { JsonObject } from '../../api/contract.ts'
import { Badge } from '../../ui/badge.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Markdown } from '../../ui/lazy-markdown.tsx'
import { Data } from './data-view.tsx'
import styles from './result-view.module.css'

/** A content block of MCP. What servers send is shown, never run: types are checked before anything is made. */
export function ContentBlock({ block }: { block: unknown }) {
  const { type, ...rest } = (block ?? {}) as JsonObject
  return (
    <div className={styles.block}>
      {type === 'text' ? (
        <Text text={String(rest.text ?? '')} />
      ) : type === 'image' || type === 'audio' ? (
        <Media mimeType={rest.mimeType} data={rest.data} />
      ) : type === 'resource_link' ? (
        <ResourceLink link={rest} />
      ) : type === 'resource' ? (
        <EmbeddedResource resource={(rest.resource ?? {}) as JsonObject} />
      ) : (
        <JsonTree value={block} open={3} />
      )}
    </div>
  )
}

/** JSON as a tree or table, everything else as Markdown. */
function Text({ text, mimeType }: { text: string; mimeType?: string }) {
  const parsed = /^\s*[[{]/.test(text) ? parse(text) : undefined
  if (parsed !== undefined) return <Data value={parsed} />
  if (mimeType !== undefined && !/markdown|plain/.test(mimeType)) return <pre>{text}</pre>
  return <Markdown text={text} />
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function Media({ mimeType, data }: { mimeType: unknown; data: unknown }) {
  const type = String(mimeType)
  if (typeof data !== 'string' || !/^[\w+/=\s-]*$/.test(data)) return <p>Media that is not base64.</p>
  if (/^image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/i.test(type))
    return <img src={`data:${type};base64,${data}`} alt={`The result, ${type}`} />
  // biome-ignore lint/a11y/useMediaCaption: servers send none
  if (/^audio\/[\w.+-]+$/i.test(type)) return <audio controls src={`data:${type};base64,${data}`} />
  return (
    <p>
      {data.length} characters of <code>{type}</code>, which this page does not show.
    </p>
  )
}

function ResourceLink({ link }: { link: JsonObject }) {
  const uri = String(link.uri ?? '')
  return (
    <div className={styles.link}>
      <Badge tone="ok">resource</Badge>
      <Link to="/playground" search={{ kind: 'resource', name: uri }}>
        {String(link.title ?? link.name ?? uri)}
      </Link>
      <code className={styles.muted}>{uri}</code>
      {link.description !== undefined && <span className={styles.muted}>{String(link.description)}</span>}
    </div>
  )
}

export function EmbeddedResource({ resource }: { resource: JsonObject }) {
  const { uri, mimeType, text, blob } = resource
  return (
    <section className={styles.block}>
      <p className={styles.muted}>
        <code>{String(uri)}</code> {mimeType !== undefined && <Badge>{String(mimeType)}</Badge>}
      </p>
      {typeof text === 'string' ? (
        <Text text={text} {...(typeof mimeType === 'string' && { mimeType })} />
      ) : (
        <Media mimeType={mimeType} data={blob} />
      )}
    </section>
  )
}
