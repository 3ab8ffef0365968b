// Loaded into servers under test: when the bench was killed without a chance to stop them, they end too.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.exit(1)
}, 1_000).unref()
