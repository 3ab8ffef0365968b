import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { ROOT } from './paths.mjs'

/**
 * A reporter for Vitest that writes into the file named by `TEST_REPORT` what a run came to. Vitest's own JSON report
 * leaves out errors that happened outside of tests; they count as failures here.
 */
export default class TestReport {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0 }
    const failedFiles = new Set()
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1
      if (!module.ok()) failedFiles.add(relative(ROOT, module.moduleId))
    }
    for (const error of errors)
      if (error.VITEST_TEST_PATH) failedFiles.add(relative(ROOT, error.VITEST_TEST_PATH))
    const report = {
      ...counts,
      failedFiles: [...failedFiles],
      // Nothing can be run again for an error that names no file.
      homelessErrors: errors.filter((error) => !error.VITEST_TEST_PATH).length,
    }
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report))
  }
}
