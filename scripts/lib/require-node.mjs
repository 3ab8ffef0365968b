/** Ends the process with a plain sentence on a Node that is too old, before anything stranger happens. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Gantry needs Node 20.19 or newer; this is ${process.version}.`)
  process.exit(1)
}
