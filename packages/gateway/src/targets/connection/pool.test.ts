import { expect, it, vi } from 'vitest'
import type { TargetModel } from '../../model/index.ts'
import { InstancePool } from './pool.ts'

const model = { name: 't', concurrency: 1, queue: 1, idleStop: undefined, maxInstances: 5 } as TargetModel

it('starts nothing once it is closed, even when it is asked', async () => {
  const open = vi.fn(() => new Promise<never>(() => {}))
  const pool: InstancePool = new InstancePool(() => model, {
    open,
    // As an observer does that looks at the target when it is told of a change.
    changed: () => void pool.get(''),
    restarting: () => {},
    ready: () => {},
    left: () => {},
    sharedQuestion: () => {},
  })
  await pool.close()
  await expect(pool.get('').acquire()).rejects.toThrow('Target "t" is stopped')
  await expect(pool.get('session:1').acquire()).rejects.toThrow('Target "t" is stopped')
  expect(open).not.toHaveBeenCalled()
  expect(pool.size).toBe(0)
})

it('leaves callers room for their own connections while the one that all share is in use', () => {
  const one = { ...model, isolation: 'session', maxInstances: 1 } as TargetModel
  const pool: InstancePool = new InstancePool(() => one, {
    open: () => new Promise<never>(() => {}),
    changed: () => {},
    restarting: () => {},
    ready: () => {},
    left: () => {},
    sharedQuestion: () => {},
  })
  pool.get('').lease()
  pool.get('session:1').lease()
  expect(() => pool.get('session:2')).toThrow('Target "t" has 1 connections already, all in use')
  expect(pool.all.map(({ key }) => key)).toEqual(['', 'session:1'])
})
