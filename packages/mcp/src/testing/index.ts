export { eras, type EraTest, type ErasOptions, type Traffic } from './eras.ts'
export { expectTool, type ToolExpectation } from './expect-tool.ts'
export { FakeClock } from './fake-clock.ts'
export { ScriptedAnswers, type AskedQuestion, type QuestionMatch } from './scripted-answers.ts'
export { surfaceOf, surfaceText, type Surface, type SurfaceEntry } from './surface.ts'
export {
  memoryLines,
  runTranscript,
  type LineChannel,
  type TranscriptDifference,
  type TranscriptRun,
} from './transcript.ts'
export { memory, type MemoryOptions } from '../transport/memory.ts'
