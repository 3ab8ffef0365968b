import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const FOLDER = fileURLToPath(new URL('./', import.meta.url))

/** What a strict compiler says about files that are not on the disk, by their names. */
export function compile(files: Readonly<Record<string, string>>): string[] {
  const needsSdk = Object.values(files).some((text) => text.includes('@gantry/'))
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    // Ours are checked elsewhere; those of libraries make this slow.
    skipDefaultLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    customConditions: ['@gantry/source'],
    allowImportingTsExtensions: true,
    // The SDK needs the DOM's types; without it they only take time.
    lib: ['es2023', ...(needsSdk ? ['esnext.disposable', 'dom', 'dom.iterable'] : [])].map(
      (name) => `lib.${name}.d.ts`,
    ),
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  const texts = new Map(Object.entries(files).map(([name, text]) => [FOLDER + name, text]))
  host.fileExists = (path) => texts.has(path) || fileExists(path)
  host.readFile = (path) => texts.get(path) ?? readFile(path)
  const program = ts.createProgram([...texts.keys()], options, host)
  return [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path)!
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
    return found.map(({ messageText, start }) => {
      const line = file.text.slice(0, start).split('\n').length
      const text = file.text.split('\n')[line - 1]
      return `${path.slice(FOLDER.length)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')} [${text}]`
    })
  })
}
