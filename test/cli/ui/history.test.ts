/** What is known of locks that no open page has shown. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { atOnce } from '../../../src/cli/catalogue.js'
import { Family } from '../../../src/cli/family.js'
import type { LockView } from '../../../src/cli/lock-view.js'
import { StoreCatalogue } from '../../../src/cli/store-catalogue.js'
import { changesBetween } from '../../../src/cli/ui/changes.js'
import { Inventory } from '../../../src/cli/ui/inventory.js'
import { Journal } from '../../../src/cli/ui/journal.js'
import { Looker } from '../../../src/cli/ui/looker.js'
import type { Picture } from '../../../src/cli/ui/picture.js'
import { Trends } from '../../../src/cli/ui/totals.js'
import { Meter } from '../../../src/cli/ui/traffic.js'
import { Holdfast, type Store } from '../../../src/index.js'
import { traitsOf } from '../../../src/port/store-traits.js'
import { MemoryStore } from '../../../src/stores/memory/index.js'
import { eventually } from '../../setup/eventually.js'

const HOUR_MS = 3_600_000
const everything = (): boolean => true

function placeOf() {
  const store: Store = new MemoryStore()
  const family = new Family(store)
  const holdfast = new Holdfast(store, { label: 'web-1' })
  onTestFinished(async () => {
    await family.close()
    await holdfast.close()
  })
  return { family, holdfast, catalogue: new StoreCatalogue(family, family.session, traitsOf(store.traits)) }
}

describe('the journal', () => {
  const filled = (journal: Journal, names: readonly string[]): Journal => {
    for (const [index, name] of names.entries()) journal.add(name, 'taken', `${index}`)
    return journal
  }

  it('a busy lock leaves room for the others', () => {
    const journal = filled(new Journal(HOUR_MS), ['quiet', ...Array.from({ length: 30_000 }, () => 'busy')])
    expect(journal.after(0, (name) => name === 'quiet')).toMatchObject([{ name: 'quiet' }])
    expect(journal.after(0, (name) => name === 'busy')).toHaveLength(200)
  })

  it('keeps the last ones, up to a number, and tells the last two hundred of them', () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `${index}`)
    const journal = filled(new Journal(HOUR_MS), names)
    const told = journal.after(0, everything)
    expect([told.length, told[0]?.name, told.at(-1)?.name]).toEqual([200, '29800', '29999'])
    expect(journal.after(0, (name) => name === '20000')).toHaveLength(1)
    expect(journal.after(0, (name) => name === '19999')).toEqual([])
    expect(journal.after(told.at(-2)?.number ?? 0, everything)).toMatchObject([{ name: '29999' }])
  })

  it('forgets what is older than it should know, and the most of a long name', () => {
    const journal = new Journal(1)
    journal.add('old', 'taken', 'was taken')
    const until = Date.now() + 2
    while (Date.now() <= until);
    expect(journal.after(0, everything)).toEqual([])
    const other = filled(new Journal(HOUR_MS), ['x'.repeat(1_000_000)])
    expect(other.after(0, (name) => name.length === 1_000)).toHaveLength(1)
  })
})

describe('the curves', () => {
  const nobody = { kept: 0, longestWait: null, longestHold: null }
  const totals = (held: number, waiting = 0) => ({ ...nobody, held, waiting })

  it('have the greatest numbers of each stretch of time, and go on where nobody has counted', () => {
    const trends = new Trends(150 * 10_000)
    for (const [atMs, held, waiting] of [
      [1_000, 3, 0],
      [9_000, 5, 2],
      [9_500, 4, 1],
      [10_000, 2, 0],
      [45_000, 7, 1],
    ] as const)
      trends.note(totals(held, waiting), atMs)
    expect(trends.trend).toEqual({ everyMs: 10_000, held: [5, 2, 2, 2, 7], waiting: [2, 0, 0, 0, 1] })
  })

  it('end where they should, whatever was missed', () => {
    const trends = new Trends()
    trends.note(totals(1), 0)
    trends.note(totals(2), HOUR_MS)
    expect(trends.trend).toMatchObject({ everyMs: 2_000, held: { length: 150 } })
    expect(trends.trend.held.slice(-2)).toEqual([1, 2])
  })
})

describe('what a client does', () => {
  it('is counted by the clock from the first look on, and anew after a pause', () => {
    let counts = { acquired: 100, contended: 10, timedOut: 1 }
    const meter = new Meter({ metrics: () => counts })
    const at = (atMs: number, acquired: number, contended = 10, timedOut = 1): void => {
      counts = { acquired, contended, timedOut }
      meter.note(atMs)
    }
    at(0, 100)
    at(1_000, 103)
    at(2_000, 104, 12)
    at(7_000, 109, 12, 2)
    at(8_000, 110, 12, 2)
    const first = { everyMs: 2_000, acquired: [3, 1, 0, 5], contended: [0, 2, 0, 0], timedOut: [0, 0, 0, 1] }
    expect(meter.traffic).toEqual(first)
    at(60_000, 500, 12, 2)
    at(61_000, 501, 12, 2)
    at(62_000, 502, 12, 2)
    expect(meter.traffic).toMatchObject({ acquired: [1], contended: [0], timedOut: [0] })
    for (let second = 63; second < 1_000; second += 1) at(second * 1_000, second)
    expect(meter.traffic.acquired).toHaveLength(150)
    expect(meter.traffic.acquired.at(-1)).toBe(2)
  })
})

describe('what two listings tell', () => {
  it('locks that were taken, passed on and released between them', async () => {
    const { holdfast, catalogue } = placeOf()
    const told: string[] = []
    const reader = { keeps: () => false, listed: () => undefined, told: String }
    const inventory = new Inventory(catalogue, '*', reader, {
      spanMs: HOUR_MS,
      differs(before, now) {
        for (const { text } of changesBetween(before, now)) told.push(`${now.lock.name} ${text}`)
      },
    })
    const list = async (): Promise<readonly string[]> => {
      told.length = 0
      await inventory.list(atOnce, new AbortController().signal)
      return told
    }
    await holdfast.lock('there').acquire()
    expect(await list()).toEqual([])
    const hold = await holdfast.lock('a').acquire()
    await holdfast.readWriteLock('b').readLock().acquire()
    expect([...(await list())].sort()).toEqual(['a was taken by web-1', 'b was taken by web-1'])
    expect(await list()).toEqual([])
    await hold.release()
    expect(await list()).toEqual(['a was released, or freed by force; it was held by web-1'])
    expect(await list()).toEqual([])
    // Another lock of a name that is one already is no change of that.
    await holdfast.semaphore('there').trySetPermits(2)
    await holdfast.semaphore('there').acquire()
    expect(await list()).toEqual([])
  })

  it('no lease is taken to have ended that may have been renewed between looks far apart', () => {
    const owners = [{ owner: 'f~web-1:1', holds: 1 }]
    const lock = { name: 'x', kind: 'lock', owners, remainingMs: 20_000 } as const
    const other = { ...lock, owners: [{ owner: 'g~web-2:1', holds: 1 }] }
    const texts = (is: typeof lock | { owners: []; remainingMs: 0 }): readonly string[] =>
      changesBetween({ lock, atMs: 0 }, { lock: { ...lock, ...is }, atMs: 60_000 }).map(({ text }) => text)
    expect(texts({ owners: [], remainingMs: 0 })).toEqual(['is no longer held; it was held by web-1'])
    expect(texts(other)).toEqual(['is no longer held by web-1', 'was taken by web-2'])
  })
})

describe('a history', () => {
  it('tells who opens a page later what has changed before, once, and ends', async () => {
    const { family, holdfast, catalogue } = placeOf()
    const waiting: Array<() => void> = []
    /** A listing that begins from now on has come to its end. */
    const listed = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve))
    const first = listed()
    const held = catalogue.held.bind(catalogue)
    vi.spyOn(catalogue, 'held').mockImplementation((pattern, pace) => {
      const asked = waiting.splice(0)
      return {
        unreadable: 0,
        async *[Symbol.asyncIterator]() {
          yield* held(pattern, pace)
          for (const each of asked) setImmediate(each)
        },
      }
    })
    const looker = new Looker(catalogue, family, String, HOUR_MS)
    onTestFinished(() => looker.close())
    await first
    const hold = await holdfast.lock('a').acquire()
    await listed()
    await hold.release()
    await listed()
    const gone = new AbortController()
    const pictures: Picture[] = []
    const read = async (): Promise<void> => {
      for await (const picture of looker.pictures({ name: 'a' }, 0, gone.signal)) pictures.push(picture)
    }
    const reading = read()
    const again = await holdfast.lock('a').acquire()
    const seen = (): readonly string[] =>
      pictures.flatMap(({ changes }) => changes.map(({ text }) => text.replace(/;.*/, '')))
    await eventually(seen, (texts) => texts.length > 2)
    // A listing finds it too, and has nothing to tell that the page was not told.
    await listed()
    await again.release()
    const released = 'was released, or freed by force'
    await eventually(seen, (texts) => texts.at(-1) === released && texts.length > 3)
    expect(seen()).toEqual(['was taken by web-1', released, 'was taken by web-1', released])
    gone.abort()
    await reading
    looker.close()
    expect(looker.pages).toBe(0)
  })
})

type Given = Partial<LockView> & { readonly by?: readonly string[] }

function view({ by = [], ...rest }: Given): LockView {
  const owners = by.map((label, index) => ({ owner: `${index}f~${label}:1`, holds: 1 }))
  return { name: 'x', kind: 'lock', owners, remainingMs: by.length > 0 ? 30_000 : 0, ...rest }
}

/** The texts of what changed from one look to the next, a second later. */
function told(was: Given, is: Given): readonly string[] {
  return changesBetween({ lock: view(was), atMs: 5_000 }, { lock: view(is), atMs: 6_000 }).map(
    ({ what, text }) => `${what}: ${text}`,
  )
}

const GONE = 'gone: was released, or freed by force; it was held by a'
const EXPIRED =
  'expired: is no longer held: the lease of a was over (lost, unless it was released just before)'

const table: ReadonlyArray<readonly [title: string, was: Given, is: Given, ...told: string[]]> = [
  ['nothing', { by: ['a'] }, { by: ['a'] }],
  ['a renewal', { by: ['a'], remainingMs: 20_000 }, { by: ['a'], remainingMs: 30_000 }],
  ['a waiter', { by: ['a'], waitingClients: 0 }, { by: ['a'], waitingClients: 3 }],
  ['taken', {}, { by: ['a'] }, 'taken: was taken by a'],
  ['freed', { by: ['a'] }, {}, GONE],
  ['without end, freed', { by: ['a'], remainingMs: Infinity }, {}, GONE],
  ['the lease was over', { by: ['a'], remainingMs: 900 }, {}, EXPIRED],
  ['… and another has it', { by: ['a'], remainingMs: 900 }, { by: ['b'] }, EXPIRED, 'taken: was taken by b'],
  ['passed on', { by: ['a'] }, { by: ['b'] }, 'passed: passed from a to b'],
  [
    'passed on within a client',
    { owners: [{ owner: 'f~a:1', holds: 1 }], remainingMs: 9_000 },
    { owners: [{ owner: 'f~a:2', holds: 1 }], remainingMs: 9_000 },
    'passed: passed from one section of a to another',
  ],
  [
    'the token grew',
    { by: ['a'], fence: '9' },
    { by: ['a'], fence: '10' },
    'retaken: was released and taken again by a',
  ],
  ['a token that a first look did not have', { by: ['a'] }, { by: ['a'], fence: '10' }],
  ['one reader of two leaves', { by: ['a', 'b'] }, { by: ['a'] }, 'gone: is no longer held by b'],
  ['more readers', { by: ['a'] }, { by: ['a', 'b', 'c'] }, 'taken: was taken by b and c'],
  ['many holders', {}, { by: ['a', 'b', 'c', 'd', 'e'] }, 'taken: was taken by a, b, c and 2 more'],
  ['counted down', { count: 3 }, { count: 1 }, 'counted: was counted down to 1'],
  ['opened', { count: 3 }, { count: 0 }, 'counted: was opened'],
  ['set', {}, { count: 3 }, 'counted: was set to 3'],
]

describe('what has changed between two looks', () => {
  for (const [title, was, is, ...expected] of table) {
    it(title, () => expect(told(was, is)).toEqual(expected))
  }

  it('an owner without a label, of any length, is shown in part', () => {
    const owner = `\u202e${'x'.repeat(65_536)}:1`
    const [text = ''] = told({}, { owners: [{ owner, holds: 1 }], remainingMs: 1 })
    expect(text).toMatch(/^taken: was taken by \\u\{202e\}x+…$/)
    expect(text.length).toBeLessThan(160)
  })
})
