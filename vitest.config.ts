import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The `@gantry/source` condition of our packages: tests run against src/, unbuilt.
  resolve: { conditions: ['@gantry/source'] },
  ssr: { resolve: { conditions: ['@gantry/source'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.{ts,tsx}',
      'tests/**/*.test.ts',
      'scripts/**/*.test.mjs',
      'conformance/**/*.test.mjs',
      'bench/**/*.test.mjs',
    ],
    typecheck: {
      // Tests whose subject is types; the compiler decides them, and they run as well.
      include: ['packages/mcp/src/{schema/infer,server/definitions/inference,client/tools}.test.ts'],
      tsconfig: 'packages/mcp/tsconfig.types.json',
    },
    // Machines that test are often busy with several things at once, or get half of their processor.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One more than a small machine has processors: many tests wait.
    maxWorkers: 3,
    // For the threads that the gateway starts: they are not Vitest's to translate.
    execArgv: ['--import', new URL('./scripts/lib/typescript-in-threads.mjs', import.meta.url).href],
    setupFiles: ['packages/mcp/src/testing/fixtures/referee.test.setup.ts'],
  },
})
