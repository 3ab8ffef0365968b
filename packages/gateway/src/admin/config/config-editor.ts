import { createHash } from 'node:crypto'
import { access, constants } from 'node:fs/promises'
import {
  formatOf,
  countMasks,
  hideSecrets,
  parseConfig,
  saveConfig,
  type ConfigFormat,
  type HiddenText,
  type LoadResult,
  type Problem,
  readSchema,
} from '../../config/index.ts'
import { readSmallFile, type GatewayModel } from '../../model/index.ts'
import { ApiError } from '../api-error.ts'
import type { AdminHost } from '../admin-host.ts'
import type {
  ConfigCheck,
  ConfigProblem,
  ConfigSaved,
  ConfigStatus,
  ConfigText,
  EditedConfig,
} from '../contract.ts'
import { configEffects } from './config-effects.ts'
import { textDiff } from './text-diff.ts'
import { TextPlaces } from '../../config/document/text-places.ts'
import type { Handlers } from '../handlers.ts'
import { authorOf } from './author-of.ts'

export interface CurrentConfig {
  readonly file: string | undefined
  readonly format: ConfigFormat
  readonly source: string
  readonly hidden: HiddenText
  readonly revision: string
}

export class ConfigEditor {
  /** Told who has written a file, before it is taken up. */
  onWritten: ((file: string, source: string, by: string) => Promise<void>) | undefined
  readonly #host: AdminHost

  constructor(host: AdminHost) {
    this.#host = host
  }

  get status(): ConfigStatus {
    const { configFile, startedAt } = this.#host
    const rejected = configFile?.rejected
    return {
      ...(configFile && { file: configFile.file }),
      loadedAt: configFile?.loadedAt ?? startedAt,
      ...(rejected && {
        rejected: { at: rejected.at, problems: rejected.problems.map((problem) => toProblem(problem)) },
      }),
    }
  }

  async current(): Promise<CurrentConfig> {
    const file = this.#host.configFile?.file
    const source = file === undefined ? this.#host.memoryConfig : await readSmallFile(file).catch(() => '')
    const format = formatOf(file ?? '', source)
    const hidden = await this.#hide(source, format)
    return { file, format, source, hidden, revision: revisionOf(source, hidden) }
  }

  #hide(source: string, format: ConfigFormat): Promise<HiddenText> {
    const { scrubber } = this.#host.gateway
    return hideSecrets(source, format, (text) => scrubber.scrubWords(scrubber.scrub(text)))
  }

  async read(): Promise<ConfigText> {
    const { file, format, hidden, revision, source } = await this.current()
    const restored = hidden.restore(hidden.text)
    const loaded = await this.#parse(source, file, format)
    return {
      ...(file !== undefined && { file }),
      format,
      text: hidden.text,
      revision,
      writable: file !== undefined && (await isWritable(file)),
      status: this.status,
      problems: presentProblems(problemsOf(loaded), restored, hidden.text),
    }
  }

  async check({ text, revision }: EditedConfig): Promise<ConfigCheck> {
    const current = await this.current()
    this.#assertRevision(current, revision)
    const { loaded, problems } = await this.#load(text, current)
    return this.#checkOf(loaded, problems, current, text)
  }

  /** The model of an edited text; undefined when the text has errors. */
  async modelOf(text: string): Promise<{ model: GatewayModel | undefined; problems: ConfigProblem[] }> {
    const { loaded, problems } = await this.#load(text, await this.current())
    const errors = problems.filter(({ severity }) => severity === 'error')
    return { model: loaded.ok && errors.length === 0 ? loaded.model : undefined, problems: errors }
  }

  async #checkOf(
    loaded: LoadResult,
    problems: readonly ConfigProblem[],
    current: CurrentConfig,
    text: string,
  ): Promise<ConfigCheck> {
    return {
      ok: loaded.ok && problems.every(({ severity }) => severity !== 'error'),
      problems,
      diff: await textDiff(current.hidden.text, text),
      ...(loaded.ok && { effects: configEffects(this.#host.gateway.model, loaded.model) }),
    }
  }

  /** Writes an edited text, masks and all, and has the gateway take it up. */
  async save({ text, revision }: EditedConfig, by: string): Promise<ConfigSaved> {
    const current = await this.current()
    this.#assertRevision(current, revision)
    const { problems, restored } = await this.#load(text, current)
    const errors = problems.filter(({ severity }) => severity === 'error')
    if (errors.length > 0) throw invalid(problems)
    return this.write(restored, current, { by, problems })
  }

  /** Checks a text that has its secrets, as if it replaced the file. */
  async checkSource(source: string): Promise<{ revision: string; check: ConfigCheck }> {
    const current = await this.current()
    const loaded = await this.#parse(source, current.file, current.format)
    const { text } = await this.#hide(source, current.format)
    const problems = problemsOf(loaded).map(toProblem)
    return { revision: current.revision, check: await this.#checkOf(loaded, problems, current, text) }
  }

  /** Replaces the file by a text that has its secrets. */
  async replace(source: string, revision: string, by: string): Promise<ConfigSaved> {
    const current = await this.current()
    this.#assertRevision(current, revision)
    return this.write(source, current, { by })
  }

  /** Writes a text that has its secrets. */
  async write(
    source: string,
    current: CurrentConfig,
    { by, problems = [] }: { by: string; problems?: readonly ConfigProblem[] },
  ): Promise<ConfigSaved> {
    const { places, overrides, gateway, configFile } = this.#host
    const { file } = current
    if (file === undefined || !configFile) throw readOnly()
    if (countMasks(source) > countMasks(current.source)) throw masked()
    const { saved, effects } = await configFile.change(async () => {
      const saved = await saveConfig(file, source, { places, overrides, expected: current.source })
      if (!saved.ok && saved.reason === 'conflict') throw this.#conflict(await this.current())
      if (!saved.ok) throw invalid(saved.problems.map((problem) => toProblem(problem)))
      await this.onWritten?.(file, source, by)
      return { saved, effects: configEffects(gateway.model, saved.loaded.model) }
    })
    return {
      revision: (await this.current()).revision,
      effects,
      warnings: problems.filter(({ severity }) => severity === 'warning'),
      ...(saved.backup !== undefined && { backup: saved.backup }),
    }
  }

  async #load(
    text: string,
    current: CurrentConfig,
  ): Promise<{ loaded: LoadResult; problems: ConfigProblem[]; restored: string }> {
    const restored = current.hidden.restore(text)
    const loaded = await this.#parse(restored.text, current.file, current.format)
    const problems = [...unknownMasks(restored, text), ...presentProblems(problemsOf(loaded), restored, text)]
    return { loaded, problems, restored: restored.text }
  }

  #parse(source: string, file: string | undefined, format: ConfigFormat): Promise<LoadResult> {
    const { places, overrides } = this.#host
    return parseConfig(source, { file, format, places, overrides })
  }

  #assertRevision(current: CurrentConfig, revision: string): void {
    if (current.revision !== revision) throw this.#conflict(current)
  }

  #conflict({ hidden, revision }: CurrentConfig): ApiError {
    return new ApiError('conflict', 'The file was changed elsewhere meanwhile', {
      fix: 'Look at what it says now, and make the change again.',
      details: { text: hidden.text, revision },
    })
  }
}

/** A hash of the text and its masks. When more secrets become known, the same mask can stand for another secret. */
function revisionOf(source: string, { text }: HiddenText): string {
  return createHash('sha256').update(source).update('\0').update(text).digest('hex').slice(0, 16)
}

export function readOnly(): ApiError {
  return new ApiError(
    'read_only',
    'This gateway runs without a configuration file, so nothing can be saved',
    { fix: 'Make one with "gantry init" and start with "gantry serve --config FILE".' },
  )
}

/** A mask in the file would take the place of the secret for good. */
function masked(): ApiError {
  return new ApiError(
    'invalid',
    'The text holds a mask such as "[redacted]" that hides no value of this file',
    {
      fix: 'Write the value, or better a reference such as ${env:NAME}.',
    },
  )
}

function invalid(problems: readonly ConfigProblem[]): ApiError {
  const first = problems.find(({ severity }) => severity === 'error') ?? problems[0]!
  return new ApiError('invalid', `Line ${first.line}: ${first.message}`, {
    fix: first.fix,
    details: { problems },
  })
}

function problemsOf(loaded: LoadResult): readonly Problem[] {
  return loaded.ok ? loaded.warnings : loaded.problems
}

async function isWritable(file: string): Promise<boolean> {
  return access(file, constants.W_OK).then(
    () => true,
    () => false,
  )
}

type Restored = ReturnType<HiddenText['restore']>

/** Problems of a restored text, in the places of the text that was edited. */
function presentProblems(problems: readonly Problem[], restored: Restored, edited: string): ConfigProblem[] {
  const from = new TextPlaces(restored.text)
  const to = new TextPlaces(edited)
  return problems.map((problem) => {
    const offset = from.offset(problem.line, problem.column)
    const start = restored.toEdited(offset)
    const end = restored.toEdited(offset + problem.length)
    return { ...toProblem(problem), ...to.place(start), length: Math.max(1, end - start) }
  })
}

/** Masks that stand for no secret, because a user typed or copied them. */
function unknownMasks(restored: Restored, edited: string): ConfigProblem[] {
  const places = new TextPlaces(edited)
  return restored.unknown.map(({ mask, offset }) => ({
    severity: 'error',
    code: 'unknown-mask',
    message: `${mask} hides no value of this file`,
    fix: 'Write the value, or better a reference such as ${env:NAME}.',
    ...places.place(offset),
    length: mask.length,
    path: '',
  }))
}

function toProblem(problem: Problem): ConfigProblem {
  const { severity, code, message, fix, line, column, length, path } = problem
  return { severity, code, message, ...(fix !== undefined && { fix }), line, column, length, path }
}

export function configHandlers(
  editor: ConfigEditor,
): Pick<Handlers, 'config' | 'configSchema' | 'checkConfig' | 'saveConfig'> {
  return {
    config: () => editor.read(),
    configSchema: () => readSchema(),
    checkConfig: ({ body }) => editor.check(body),
    saveConfig: ({ body, caller }) => editor.save(body, authorOf(caller)),
  }
}
