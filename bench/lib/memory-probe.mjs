// Loaded into servers under test, with --expose-gc: tells how much memory is in use when it is asked.
process.on('message', async () => {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    globalThis.gc()
  }
  const { heapUsed, external } = process.memoryUsage()
  process.send(heapUsed + external)
})
