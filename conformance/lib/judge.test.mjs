import { describe, expect, it } from 'vitest'
import { judge } from './judge.mjs'

const passed = { id: 'a', status: 'SUCCESS' }
const run = (checks, rest = {}) => ({ checks, code: 0, timedOut: false, log: '', ...rest })

describe('judge', () => {
  it('accepts a run whose checks all passed', () => {
    expect(judge(run([passed]), ['a'])).toEqual([])
    expect(judge(run([passed, { id: 'note', status: 'INFO' }, { id: 'b', status: 'SKIPPED' }]))).toEqual([])
  })

  it('counts failures and warnings alike', () => {
    const warning = { id: 'b', status: 'WARNING', errorMessage: 'two\nlines' }
    const failure = { id: 'c', status: 'FAILURE', description: 'what it is about' }
    const problems = judge(run([passed, warning, failure], { code: 1 }))
    expect(problems).toEqual(['warning b: two lines', 'failure c: what it is about'])
  })

  it('counts crashes and time-outs although every check passed', () => {
    expect(judge(run([passed], { code: 1, log: 'first\nCLIENT EXITED' }))).toEqual([
      'exit code 1 although its checks passed: CLIENT EXITED',
    ])
    expect(judge(run([passed], { code: 1, log: 'CLIENT TIMED OUT' }))[0]).toContain('the client timed out')
    expect(judge(run([passed], { timedOut: true }))).toEqual(['timed out'])
    expect(judge(run(undefined, { code: 1, log: 'boom' }))[0]).toContain('gave no checks (exit code 1): boom')
  })

  it('counts a run that checked nothing, unless that is what is recorded', () => {
    expect(judge(run([]))).toEqual(['vacuous: nothing was checked'])
    expect(judge(run([{ id: 'a', status: 'SKIPPED' }]))).toEqual(['vacuous: nothing was checked'])
    expect(judge(run([{ id: 'a', status: 'SKIPPED' }]), [])).toEqual([])
  })

  it('counts a recorded check that did not take place', () => {
    expect(judge(run([passed]), ['a', 'b'])).toEqual(['not checked, though it can be: b'])
  })
})
