/** Listens on a free port of this machine and says which, so that the bench can wait for the line. */
export function announce(server) {
  server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`))
}
