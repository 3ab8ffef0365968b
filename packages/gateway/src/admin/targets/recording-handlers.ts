import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Recorder } from '../../targets/recording/recorder.ts'
import type { Target } from '../../targets/target.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import type { RecordingStatus, StartRecording } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import { findTarget } from './find-target.ts'

type RecordingHandlers = Pick<Handlers, 'startRecording' | 'recording' | 'stopRecording'>

export function recordingHandlers({ gateway }: AdminHost): RecordingHandlers {
  const recorderOf = (target: Target): Recorder => {
    if (target.calls.recorder) return target.calls.recorder
    throw new ApiError('not_found', `"${target.name}" is not being recorded`)
  }
  return {
    startRecording: async ({ params, body }) => {
      const target = findTarget(gateway, params.name)
      check(target, body)
      const recorder = await target.record(body.file).catch((error: NodeJS.ErrnoException) => {
        const isFile = error.syscall === 'open'
        throw new ApiError('conflict', `"${target.name}" cannot be recorded: ${error.message}`, {
          fix: isFile ? 'Choose another place for the file.' : `Look it over: gantry doctor ${target.name}`,
          cause: error,
        })
      })
      // A mock without lists would offer nothing.
      await gateway.catalog
        .of(target)
        ?.fetchAnew()
        .catch(() => {})
      return statusOf(recorder)
    },
    recording: ({ params }) => statusOf(recorderOf(findTarget(gateway, params.name))),
    stopRecording: async ({ params }) => {
      const target = findTarget(gateway, params.name)
      const recorder = recorderOf(target)
      await target.calls.stopRecording()
      return statusOf(recorder)
    },
  }
}

function check(target: Target, { file, replace = false }: StartRecording): void {
  if (target.calls.recorder) {
    throw new ApiError('conflict', `"${target.name}" is being recorded into ${target.calls.recorder.file}`, {
      fix: 'Stop that recording first.',
    })
  }
  if (!isAbsolute(file)) throw new ApiError('invalid', `${file} is not an absolute path`)
  if (existsSync(file) && !replace) {
    throw new ApiError('conflict', `${file} is there already`, { fix: 'Choose another name, or replace it.' })
  }
}

function statusOf({ file, exchanges }: Recorder): RecordingStatus {
  return { file, exchanges }
}
