import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/servers.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A machine of the CI's that stands still for seconds makes leases end that no test meant to end. What needed a second try
    // is shown as such, and is to be looked into; on a developer's machine it fails.
    retry: process.env['CI'] ? 1 : 0,
    // Tests mostly wait for leases: six at a time keep two cores busy, and more make each other late.
    maxWorkers: 6,
    typecheck: { enabled: false },
  },
})
