import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/servers.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Two cores, and servers of their own beside them: more workers only make each other late.
    maxWorkers: 3,
    typecheck: { enabled: false },
  },
})
