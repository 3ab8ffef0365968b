import { createInterface } from 'node:readline/promises'
import { CreateError } from './create-error.mjs'
import { DEFAULT_FOLDER, nameOf } from './read-options.mjs'
import { FRAMEWORKS, frameworksOf, TRANSPORTS } from './frameworks.mjs'

/** Asks for what the flags leave open. Ends with an error, and nothing written, when the user leaves. */
export async function ask(flags, { input, output }) {
  const terminal = createInterface({ input, output })
  const left = new Promise((_, reject) =>
    terminal.once('close', () => reject(new CreateError('Nothing was made.'))),
  )
  const question = (text) => Promise.race([terminal.question(text), left])
  left.catch(() => {})
  try {
    const folder = flags.folder ?? (await askFolder(question, output))
    const transport = flags.transport ?? (await choose(question, 'Transport', TRANSPORTS))
    const labels = Object.fromEntries(frameworksOf(transport).map((name) => [name, FRAMEWORKS[name].label]))
    const framework =
      flags.framework ?? (transport === 'http' ? await choose(question, 'Framework', labels) : undefined)
    return { ...flags, folder, transport, framework }
  } finally {
    terminal.close()
  }
}

async function askFolder(question, output) {
  for (;;) {
    const folder = (await question(`Folder (${DEFAULT_FOLDER}): `)).trim() || DEFAULT_FOLDER
    try {
      nameOf(folder)
      return folder
    } catch (error) {
      output.write(`${error.message}\n`)
    }
  }
}

/** By number or by name; the first when the answer is empty. */
async function choose(question, title, labels) {
  const names = Object.keys(labels)
  const list = names.map((name, index) => `  ${index + 1}  ${labels[name]}`).join('\n')
  for (;;) {
    const answer = (await question(`${title}\n${list}\nNumber (1): `)).trim() || '1'
    const chosen = names.includes(answer) ? answer : names[Number(answer) - 1]
    if (chosen) return chosen
  }
}
