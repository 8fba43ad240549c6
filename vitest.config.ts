import process from 'node:process'
import { transform } from 'esbuild'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest, so that no worker begins with it when the others are done; the rest follows by what vitest knows of it. */
const longest = [
  'conformance/',
  'watchdog-thread/holdfast',
  'connections/process',
  'cli/ui/cost',
  'cli/ui/page',
  'kinds/fair-lock',
  'kinds/fenced-lock',
  'kinds/write-lock',
  'kinds/spin-lock',
  'contract/',
  'connections/cluster-moves',
  'replicas/',
  'connections/growth',
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

/** Commands of their own, for what would take `npm test` far more time and say little that is new about the rest. */
const apart: Readonly<Record<string, readonly string[]>> = {
  'test:databases': [
    'test/{mysql,postgres,rows,transactions,servers/sql}/**/*.test.ts',
    'test/conformance/{mysql,file-store,postgres-js,advisory,get-lock}.test.ts',
  ],
  'test:coordination': [
    'test/{etcd,zookeeper,memcached}/**/*.test.ts',
    'test/conformance/{etcd,zookeeper,memcached}.test.ts',
  ],
  'test:topologies': [
    'test/{replicas,quorum}/**/*.test.ts',
    'test/contract/{cluster,sentinel}.test.ts',
    'test/connections/{cluster-moves,failover,sentinels}.test.ts',
    'test/kinds/quorum.test.ts',
  ],
  'test:package': ['test/packaging/**/*.test.ts'],
  // Hundreds of processes: the command line, the examples, Redisson; and applications of frameworks.
  'test:programs': [
    'test/{cli,examples,interop,nestjs,fastify}/**/*.test.ts',
    'test/otel/collector.test.ts',
    'test/prometheus/server.test.ts',
    'test/docs/{examples,fragments}.test.ts',
    'test/watchdog-thread/program.test.ts',
  ],
}
/** What runs again with another client: HOLDFAST_CLIENT, see test/setup/clients.ts. */
const again: Readonly<Record<string, readonly string[]>> = {
  'test:clients': [
    'test/{clients,contract,fault}/**/*.test.ts',
    // The others are about options and habits of ioredis.
    'test/connections/{application-client,cluster-moves,command-deadline,failover,refusing-server,sentinels,subscriptions}.test.ts',
  ],
}
const asked = process.env['npm_lifecycle_event'] ?? ''
const command = apart[asked] ?? again[asked]
const namesFiles = process.argv.slice(2).some((argument) => argument.startsWith('test/'))

/** Vitest's own compiler leaves decorators of the standard as they are, and Node does not know them yet. */
const standardDecorators: Plugin = {
  name: 'standard-decorators',
  enforce: 'pre',
  async transform(source, id) {
    if (!id.includes('/test/decorators/')) return
    const { code, map } = await transform(source, {
      loader: 'ts',
      target: 'node20',
      sourcemap: true,
      sourcefile: id,
    })
    return { code, map }
  },
}

export default defineConfig({
  plugins: [standardDecorators],
  test: {
    include: [...(command ?? ['test/**/*.test.ts'])],
    exclude: command || namesFiles ? [] : Object.values(apart).flat(),
    globalSetup: ['test/setup/servers.ts'],
    // A net under what hangs, no measure of speed: twelve files at a time on a busy disk make one start of MySQL last 15 seconds.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // So too: what is polled for comes when it comes.
    expect: { poll: { timeout: 20_000 } },
    // A machine of the CI's that stands still for seconds makes leases end that no test meant to end. What needed a second try
    // is shown as such, and is to be looked into; on a developer's machine it fails.
    retry: process.env['CI'] ? 1 : 0,
    // The waits that a failed try leaves behind end with its client, and nobody listens: they would fail the run though the second
    // try passes. Without a second try nothing is hidden.
    onUnhandledError: (error) => !(process.env['CI'] && 'code' in error && error['code'] === 'CLOSED'),
    // Tests mostly wait for leases: twelve files at a time keep two cores busy, and more make each other late.
    maxWorkers: 12,
    // A worker runs one file after another with the modules it has loaded: to load them for each file took a fifth of all the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    typecheck: { enabled: false },
  },
})
