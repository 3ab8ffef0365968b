import type { Nodes, Parents } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { createElement, Fragment, type ReactNode } from 'react'
import { isSafeImage, isSafeLink } from './safe-url.ts'
import styles from './markdown.module.css'

/**
 * Markdown as React elements, made from its syntax tree: there is no HTML on the way, so there is nothing to
 * inject into. HTML in the text shows as the text that it is.
 */
export default function Markdown({ text }: { text: string }) {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  return <div className={styles.markdown}>{children(tree)}</div>
}

function children(node: Parents): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: the tree of a text never changes
  return node.children.map((child, index) => <Fragment key={index}>{render(child)}</Fragment>)
}

function render(node: Nodes): ReactNode {
  switch (node.type) {
    case 'text':
    case 'html':
      return node.value
    case 'paragraph':
      return <p>{children(node)}</p>
    case 'heading':
      // Below the headings of the page.
      return createElement(`h${Math.min(node.depth + 2, 6)}`, null, ...children(node))
    case 'emphasis':
      return <em>{children(node)}</em>
    case 'strong':
      return <strong>{children(node)}</strong>
    case 'delete':
      return <del>{children(node)}</del>
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there
        <pre tabIndex={0}>
          <code>{node.value}</code>
        </pre>
      )
    case 'break':
      return <br />
    case 'thematicBreak':
      return <hr />
    case 'blockquote':
      return <blockquote>{children(node)}</blockquote>
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{children(node)}</ol> : <ul>{children(node)}</ul>
    case 'listItem':
      return <li>{children(node)}</li>
    case 'link':
      return isSafeLink(node.url) ? (
        <a href={node.url} target="_blank" rel="noopener noreferrer nofollow">
          {children(node)}
        </a>
      ) : (
        children(node)
      )
    case 'image':
      return isSafeImage(node.url) ? (
        <img src={node.url} alt={node.alt ?? ''} />
      ) : (
        `[image: ${node.alt || node.url}]`
      )
    case 'table':
      return (
        <table>
          <tbody>{children(node)}</tbody>
        </table>
      )
    case 'tableRow':
      return <tr>{children(node)}</tr>
    case 'tableCell':
      return <td>{children(node)}</td>
    case 'footnoteReference':
    case 'linkReference':
    case 'imageReference':
      return 'children' in node ? children(node) : `[${node.identifier}]`
    default:
      return null
  }
}
