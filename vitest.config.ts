import { transform } from 'esbuild'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { mutationOfRun } from './test/mutants/plugin.js'
import { filesOfOthers, projects } from './test/projects.js'

/** What takes longest, so that no worker begins with it when the others are done; the rest follows by what vitest knows of it. */
const longest = [
  'watchdog-thread/holdfast',
  'conformance/',
  'connections/growth',
  'deadlock/processes',
  'contract/',
  'model/',
  'kinds/',
  'connections/',
  'fault/',
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
  plugins: [standardDecorators, mutationOfRun()],
  test: {
    // A net under what hangs, no measure of speed: a busy disk can make one start of MySQL last 15 seconds.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // So too: what is polled for comes when it comes.
    expect: { poll: { timeout: 20_000 } },
    // A second try hides what it should show.
    retry: 0,
    // A worker runs one file after another with the modules it has loaded: to load them for each file took a fifth of all the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: projects.map((project, index) => ({
      extends: true as const,
      test: {
        name: project.name,
        include: [...project.files],
        exclude: filesOfOthers(project),
        globalSetup: project.servers ? ['test/setup/servers.ts'] : [],
        maxWorkers: project.workers,
        // One project after another: what is in virtual time wants the processor, what waits for leases wants it free.
        sequence: { groupOrder: index },
        ...(project.chosen ? { runner: './test/setup/chosen-runner.ts' } : {}),
      },
    })),
  },
})
