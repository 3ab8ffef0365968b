/** The extension's name in `capabilities.extensions` (SEP-1865). */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'
/** The one kind of content that views have so far. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app'
/** Views are resources of this scheme. */
export const APP_SCHEME = 'ui://'

/** Origins that a view may reach. What is absent is not allowed. */
export interface AppCsp {
  /** For `fetch`, `XMLHttpRequest` and `WebSocket`. */
  connectDomains?: string[]
  /** For scripts, styles, images, fonts and media. */
  resourceDomains?: string[]
  /** For nested frames. */
  frameDomains?: string[]
  /** For the document's base. */
  baseUriDomains?: string[]
}

/** Permissions of the browser that a view asks for. Hosts decide. */
export interface AppPermissions {
  camera?: object
  microphone?: object
  geolocation?: object
  clipboardWrite?: object
}

/** How a host should show a view: `_meta.ui` of its resource. */
export interface AppView {
  csp?: AppCsp
  permissions?: AppPermissions
  /** A dedicated origin, in the form that the host documents. */
  domain?: string
  prefersBorder?: boolean
}

/** The callers of a tool: the model, the view, or both. */
export type AppVisibility = 'model' | 'app'

/** How a tool is joined to its view: `_meta.ui` of the tool. */
export interface AppLink {
  resourceUri?: string
  /** Both, when absent. */
  visibility?: AppVisibility[]
}
