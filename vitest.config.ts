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
    ],
    typecheck: {
      include: ['packages/*/src/**/*.test-d.ts'],
      tsconfig: 'packages/mcp/tsconfig.json',
    },
    // Machines that test are often busy with several things at once.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Real processes and sockets on a shared machine: what fails three times in a row has failed.
    retry: process.env.CI ? 2 : 0,
  },
})
