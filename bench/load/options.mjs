/** What the bench says first to a program that it starts: a command line could not hold long messages. */
export const options = await new Promise((resolve) => process.once('message', resolve))
