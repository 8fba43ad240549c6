/** A program's tests may set fake timers, which a lock must not stand still for: it has taken the machine's own when it was loaded. */
import { expect, test } from 'vitest'
import { filesIn } from './files.js'

/** Where time is taken from, where one that was taken becomes a text, and the programs that run in nobody's test. */
const exempt = /^src\/(base\/time\/(machine-time|iso-time)\.ts|cli\/|conformance\/)/

/** What fake timers replace, and is not imported under that name. */
const clocks =
  /(?<![\w.])(Date|performance|process\.(nextTick|hrtime)|AbortSignal\.timeout)\b|'node:(timers|perf_hooks)/g
const timers = /(?<![\w.'])((?:set|clear)(?:Timeout|Interval|Immediate)|queueMicrotask)(?=\()/g

test('time and timers are the machine’s own, taken when the library is loaded', async () => {
  const found: string[] = []
  for (const { path, text } of await filesIn(['src'], '.ts')) {
    if (exempt.test(path) || path.endsWith('.generated.ts')) continue
    const bare = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    const [, imported = ''] = /import \{([^}]*)\} from '[./]*(?:\w+\/)*machine-time\.js'/.exec(bare) ?? []
    for (const [use] of bare.matchAll(clocks)) found.push(`${path}: ${use}`)
    for (const [use] of bare.matchAll(timers))
      if (!imported.split(/[\s,]+/).includes(use)) found.push(`${path}: ${use}`)
  }
  expect(found).toEqual([])
})
