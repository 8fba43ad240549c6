import process from 'node:process'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest, so that no worker begins with it when the others are done; the rest follows by what vitest knows of it. */
const longest = [
  'interop/redisson',
  'conformance/',
  'mysql/',
  'watchdog-thread/holdfast',
  'connections/process',
  'kinds/fair-lock',
  'kinds/fenced-lock',
  'kinds/write-lock',
  'kinds/spin-lock',
  'packaging/packaging',
  'contract/cluster',
  'contract/sentinel',
  'contract/standalone',
  'connections/cluster-moves',
  'replicas/',
  'connections/growth',
  'docs/examples',
  'cli/kinds',
  'cli/run',
  'quorum/split',
  'kinds/',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((each) => moduleId.includes(`/test/${each}`))
      return found < 0 ? longest.length : found
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}

/** Run by `npm run test:databases`: what would take `npm test` twice the time and say little that is new about the rest. */
const databases = ['test/mysql/**/*.test.ts', 'test/conformance/{mysql,file-store,postgres-js}.test.ts']
const onDatabases = process.env['npm_lifecycle_event'] === 'test:databases'

export default defineConfig({
  test: {
    include: onDatabases ? databases : ['test/**/*.test.ts'],
    exclude:
      onDatabases || process.argv.some((each) => /test\/(mysql|conformance)/.test(each)) ? [] : databases,
    globalSetup: ['test/setup/servers.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A machine of the CI's that stands still for seconds makes leases end that no test meant to end. What needed a second try
    // is shown as such, and is to be looked into; on a developer's machine it fails.
    retry: process.env['CI'] ? 1 : 0,
    // Tests mostly wait for leases: twelve files at a time keep two cores busy, and more make each other late.
    maxWorkers: 12,
    // A worker runs one file after another with the modules it has loaded: to load them for each file took a fifth of all the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    typecheck: { enabled: false },
  },
})
