import { Link } from '@tanstack/react-router'
import { useContext } from 'react'
import type { JsonObject } from '../../api/contract.ts'
import { AppFrame } from '../apps/app-frame.tsx'
import { documentOf, isApp } from '../apps/app-of.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { SubjectOfApps } from './call/call-app.tsx'
import styles from './result-view.module.css'
import { TextBlock } from './text-block.tsx'

/** A content block of MCP. What servers send is shown, never run: types are checked before anything is made. */
export function ContentBlock({ block }: { block: unknown }) {
  const { type, ...rest } = (block ?? {}) as JsonObject
  return (
    <div className={styles.block}>
      {type === 'text' ? (
        <TextBlock text={String(rest.text ?? '')} />
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
  const subject = useContext(SubjectOfApps)
  return (
    <section className={styles.block}>
      <p className={styles.muted}>
        <code>{String(uri)}</code> {mimeType !== undefined && <Badge>{String(mimeType)}</Badge>}
      </p>
      {isApp(resource) && <AppFrame subject={subject} load={async () => documentOf(resource)} />}
      {typeof text === 'string' ? (
        <TextBlock text={text} {...(typeof mimeType === 'string' && { mimeType })} />
      ) : (
        <Media mimeType={mimeType} data={blob} />
      )}
    </section>
  )
}
