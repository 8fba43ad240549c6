/** What docs/wire-layout.md says a user must be allowed, read from that page, and what an application does with it. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Hold, Holdfast, MultiHold } from '../../src/index.js'

const PAGE = new URL('../../docs/wire-layout.md', import.meta.url)

/** The section as it is written: the lines of each kind, and the commands. */
function documented(): {
  readonly rows: ReadonlyMap<string, string[]>
  readonly commands: string[]
  /** What is otherwise there: the channel of a process, and commands beside the others. */
  readonly inCluster: { readonly channel: string; readonly commands: string[] }
} {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('## What a user must be allowed\n')
  const [text = ''] = section.split('\nA user who lacks')
  const rows = new Map<string, string[]>()
  for (const line of text.split('\n').filter((each) => each.startsWith('| ') && !each.startsWith('| kind')))
    rows.set(
      line.split(' | ')[0]?.slice(2) ?? '',
      [...line.matchAll(/`([~&][^`]*)`/g)].map(([, each = '']) => each),
    )
  const [, block = ''] = /```text\n([\s\S]*?)```/.exec(text) ?? []
  const [, channel = ''] = /In a Cluster the channel of a process is `([^`]*)`/.exec(text) ?? []
  const [, also = ''] = /In a Cluster also `([^`]*)`/.exec(section) ?? []
  const commandsIn = (words: string): string[] => words.split(/\s+/).filter((word) => word.startsWith('+'))
  return { rows, commands: commandsIn(block), inCluster: { channel, commands: commandsIn(also) } }
}

export const { rows, commands, inCluster } = documented()

export function linesOf(kind: string): readonly string[] {
  const own = [...rows].find(([title]) => title.includes(kind))?.[1]
  if (!own) throw new Error(`no row for ${kind}`)
  return own
}

export type Held = Hold | MultiHold

export interface Use {
  readonly kind: string
  /** The rows that it needs. */
  readonly needs?: readonly string[]
  /** Does all there is to do with the kind, as two clients of one application; leaves it taken, if asked to. */
  run(one: Holdfast, other: Holdfast): Promise<Held | undefined>
}

/** Two clients take turns, and the first takes it again. */
async function turns(
  take: (holdfast: Holdfast) => Promise<Hold>,
  one: Holdfast,
  other: Holdfast,
): Promise<Hold> {
  const first = await take(one)
  const waiting = take(other)
  await new Promise((resolve) => other.once('waiting', resolve))
  await first.release()
  await (await waiting).release()
  return await take(one)
}

export const uses: readonly Use[] = [
  ...(['lock', 'fencedLock', 'fairLock'] as const).map((kind) => ({
    kind,
    needs: ['lock, fenced'],
    run: (one: Holdfast, other: Holdfast) =>
      turns((each) => each[kind](`a ${kind}`).acquire({ waitMs: 9_000 }), one, other),
  })),
  {
    kind: 'spinLock',
    needs: ['spin lock'],
    run: (one, other) => turns((each) => each.spinLock('a spin lock').acquire({ waitMs: 9_000 }), one, other),
  },
  {
    kind: 'multiLock, stripedLock and job',
    needs: ['lock, fenced'],
    run: async (one) => {
      await one.job('a job', { atLeastMs: 0, atMostMs: 9_000 }, () => 1)
      await one
        .stripedLock('stripes', 4)
        .stripe(1)
        .withLock(() => undefined)
      return await one.multiLock([one.lock('multi:1'), one.lock('multi:2')]).acquire()
    },
  },
  ...(['readLock', 'writeLock'] as const).map((side) => ({
    kind: side,
    needs: ['read-write lock'],
    run: async (one: Holdfast, other: Holdfast) => {
      await turns(
        (each) => each.readWriteLock(`a ${side}`).writeLock().acquire({ waitMs: 9_000 }),
        one,
        other,
      ).then((hold) => hold.release())
      return await one.readWriteLock(`a ${side}`)[side]().acquire()
    },
  })),
  ...(['semaphore', 'permitExpirableSemaphore'] as const).map((kind) => ({
    kind,
    needs: [kind === 'semaphore' ? 'semaphore' : 'permit-expirable'],
    run: async (one: Holdfast, other: Holdfast) => {
      await one[kind](`a ${kind}`).trySetPermits(1)
      await one[kind](`a ${kind}`).addPermits(1)
      await one[kind](`a ${kind}`).reducePermits(1)
      return await turns((each) => each[kind](`a ${kind}`).acquire({ waitMs: 9_000 }), one, other)
    },
  })),
  {
    kind: 'countDownLatch',
    needs: ['latch'],
    run: async (one, other) => {
      await one.countDownLatch('a latch').trySetCount(1)
      const opened = other.countDownLatch('a latch').await({ waitMs: 9_000 })
      await one.countDownLatch('a latch').countDown()
      await opened
      await one.countDownLatch('a latch').trySetCount(1)
      return undefined
    },
  },
  {
    kind: 'computeOnce',
    needs: ['lock, fenced', 'computeOnce'],
    run: async (one, other) => {
      const compute = (each: Holdfast): Promise<number> =>
        each.computeOnce('a value', () => 1, { ttlMs: 60_000 })
      expect(await Promise.all([compute(one), compute(other)])).toEqual([1, 1])
      return undefined
    },
  },
  {
    kind: 'guardedValue',
    needs: ['guarded value'],
    run: async (one) => {
      await one.guardedValue('a guarded value').set('x', 1n)
      expect(await one.guardedValue('a guarded value').get()).toEqual({ value: 'x', fence: 1n })
      return undefined
    },
  },
]
