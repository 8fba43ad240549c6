import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../../base/errors/errors.js'
import type { Around } from '../../client/deadlock/survey.js'
import { matchesGlob } from '../../stores/rows/glob.js'
import { type Catalogue, lookAtEach, type Pace, type Seen } from '../catalogue.js'
import type { Family } from '../family.js'
import type { LockView } from '../lock-view.js'
import { changesBetween, type Sight } from './changes.js'
import { patternOf } from './chosen.js'
import { linkOf } from './deadlock-link.js'
import { Inventories } from './inventories.js'
import type { Inventory, Reader } from './inventory.js'
import { Journal } from './journal.js'
import { PerSecond } from './pace.js'
import type { ListSubject, Picture, Pictures, Subject } from './picture.js'
import type { Meter } from './traffic.js'
import { Watched } from './watched.js'

/** Commands a second, at most, for the locks that pages show: docs/ui.md names the sum with those for lists. */
const FOR_LOOKS = 150
/** What it takes to read who waits for one lock while holding another, and to make sure of it. */
const DEADLOCK_COMMANDS = 4
/** The pause of a loop whose locks are few. */
const LOOK_MS = 1_000
/** After a longer pause, what has changed meanwhile says little. */
const RECENT_MS = 10_000
/** Of those that wait for others while they hold a lock. */
const MOST_WAITS = 100
/** A lock that a listing found so late is no news. */
const NEWS_MS = 5_000

const NOTHING: Around = { deadlocks: [], waits: [] }

type Painted = Omit<Picture, 'deadlocks' | 'waits' | 'changes' | 'since'>

/** Looks at the locks that open pages show, once for all of them, and not at all while no page is open. */
export class Looker implements Reader, Pictures {
  readonly #watched = new Map<string, Watched>()
  readonly #journal: Journal
  readonly #inventories: Inventories
  readonly #subjects = new Set<Subject>()
  readonly #bell = new EventEmitter().setMaxListeners(0)
  readonly #forLooks = new PerSecond(FOR_LOOKS)
  /** Lists all locks as long as a history is kept. */
  readonly #always: Inventory | undefined
  #drawn = new Map<string, Picture>()
  #version = 0
  #loop: AbortController | undefined
  #stoppedAtMs = 0
  /** Since when changes are known. */
  #since = Date.now()
  #lastId = 0
  #trouble: string | undefined
  #around: Around = NOTHING

  /** `told` says what a failure is in words for people; `historyMs`: how far back to know what was, with no page open too; `meter` counts for a client. */
  constructor(
    private readonly catalogue: Catalogue,
    private readonly family: Pick<Family, 'waitsAround'>,
    readonly told: (error: unknown) => string,
    private readonly historyMs = 0,
    private readonly meter?: Meter,
  ) {
    this.#journal = new Journal(historyMs)
    this.#inventories = new Inventories(catalogue, this)
    if (historyMs === 0) return
    const differs = (before: Sight, now: Sight): void => this.#differs(before, now)
    this.#always = this.#inventories.enter('', { spanMs: historyMs, differs })
  }

  /** Looks no more. */
  close(): void {
    this.#loop?.abort()
    this.#inventories.close()
  }

  get pages(): number {
    return this.#subjects.size
  }

  async *pictures(subject: Subject, after: number, signal: AbortSignal): AsyncGenerator<Picture> {
    const page = { ...subject }
    this.#enter(page)
    try {
      for (let last = after; !signal.aborted; ) {
        const version = this.#version
        const picture = this.#draw(page)
        const changes = this.#journal.after(last, (name) => isAbout(page, name))
        last = changes.at(-1)?.number ?? last
        yield { ...picture, changes }
        if (version === this.#version) await once(this.#bell, 'look', { signal }).catch(() => undefined)
      }
    } finally {
      this.#leave(page)
    }
  }

  keeps(name: string): boolean {
    return this.#watched.get(name)?.isGone === false
  }

  listed(): void {
    this.#ring()
  }

  #enter(page: Subject): void {
    this.#subjects.add(page)
    if (!this.#loop) {
      if (performance.now() - this.#stoppedAtMs > RECENT_MS) this.#watched.clear()
      if (!this.#always) this.#since = Date.now()
      this.#around = NOTHING
      this.#loop = new AbortController()
      this.#look(this.#loop.signal)
    }
    if (page.filter !== undefined) this.#inventories.enter(page.filter)
  }

  #leave(page: Subject): void {
    this.#subjects.delete(page)
    if (page.filter !== undefined) this.#inventories.leave(page.filter)
    if (this.#subjects.size > 0) return
    this.#loop?.abort()
    this.#loop = undefined
    this.#stoppedAtMs = performance.now()
    // From now on listings tell what changes.
    if (this.#always) this.#watched.clear()
  }

  /** What looks at a lock see, listings need not tell. */
  #differs(before: Sight, now: Sight): void {
    const { name } = now.lock
    if (this.#watched.has(name)) return
    for (const { what, text } of changesBetween(before, now)) this.#journal.add(name, what, text)
  }

  async #look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAtMs = performance.now()
      try {
        const pace: Pace = (commands) => this.#forLooks.take(commands, signal)
        const saw: Seen = (name, found) => this.#saw(name, found)
        // Whoever opens the page of one lock wants to know whether somebody is inside; a list is not to have all its locks given up.
        const single = new Set(
          [...this.#subjects].flatMap(({ filter, name }) => (filter === undefined ? [name] : [])),
        )
        await lookAtEach(this.catalogue, [...single], pace, saw)
        const others = this.#wanted().filter((name) => !single.has(name))
        await this.catalogue.lookAtAll(others, pace, saw)
        await this.#findWaits(signal)
        this.#trouble = undefined
      } catch (error) {
        if (signal.aborted) return
        this.#trouble = this.told(error)
      }
      this.#forget()
      this.#ring()
      const leftMs = startedAtMs + LOOK_MS - performance.now()
      await sleep(Math.max(0, leftMs), undefined, { signal }).catch(() => undefined)
    }
  }

  #saw(name: string, found: readonly LockView[] | StoreError): void {
    const atMs = performance.now()
    const known = this.#watched.get(name)
    const watched = known ?? this.#watch(name)
    watched.trouble = found instanceof StoreError ? this.told(found) : undefined
    if (found instanceof StoreError) return
    if (!known && this.#isNew(name, found)) watched.update([], atMs)
    this.#note(watched, found, atMs)
    for (const inventory of this.#inventories) inventory.saw(name, watched.views, atMs)
  }

  /** What the history did not have is taken since. Counts it never has. */
  #isNew(name: string, views: readonly LockView[]): boolean {
    if (!this.#always?.isAll || this.#always.of(name)) return false
    return views.every(({ count }) => count === undefined)
  }

  async #findWaits(signal: AbortSignal): Promise<void> {
    const contended = [...this.#watched.values()].flatMap((watched) => watched.contended)
    try {
      const turn = (): Promise<void> => this.#forLooks.take(DEADLOCK_COMMANDS, signal)
      this.#around = await this.family.waitsAround(contended, turn)
    } catch (error) {
      // Who may not read that sees the locks all the same.
      if (!(error instanceof StoreError) || error.transient) throw error
      this.#around = NOTHING
    }
  }

  #note(watched: Watched, views: readonly LockView[], atMs: number): void {
    for (const { what, text } of watched.update(views, atMs)) this.#journal.add(watched.name, what, text)
  }

  #watch(name: string): Watched {
    this.#lastId += 1
    const watched = new Watched(name, this.#lastId)
    this.#watched.set(name, watched)
    const listed = this.#always?.of(name)
    if (listed) this.#note(watched, [listed.view], listed.atMs)
    return watched
  }

  #wanted(): readonly string[] {
    return [...new Set([...this.#subjects].flatMap((subject) => this.#namesOf(subject)))]
  }

  #namesOf(subject: Subject): readonly string[] {
    if (subject.filter === undefined) return [subject.name]
    return this.#inventories.of(subject.filter)?.shown(subject.sort, subject.page).names ?? []
  }

  /** Forgets what no page shows any more. */
  #forget(): void {
    for (const [name, watched] of this.#watched) {
      if (watched.isGone) for (const inventory of this.#inventories) inventory.forget(name)
    }
    const wanted = new Set(this.#wanted())
    for (const name of this.#watched.keys()) if (!wanted.has(name)) this.#watched.delete(name)
  }

  /** Shows what listings found even before it is looked at. */
  #adopt(subject: Subject): void {
    if (subject.filter === undefined) return
    const inventory = this.#inventories.of(subject.filter)
    for (const name of this.#namesOf(subject)) {
      const found = inventory?.of(name)
      if (!found || this.#watched.has(name)) continue
      const watched = this.#watch(name)
      // So that what it is now is a change.
      if (!this.#always && found.isNew && performance.now() - found.atMs < NEWS_MS)
        watched.update([], found.atMs)
      this.#note(watched, [found.view], found.atMs)
    }
  }

  #ring(): void {
    for (const subject of this.#subjects) this.#adopt(subject)
    this.meter?.note(performance.now())
    this.#version += 1
    this.#drawn.clear()
    this.#bell.emit('look')
  }

  /** Drawn once for all pages of a subject. */
  #draw(page: Subject): Picture {
    const key = JSON.stringify(page)
    const picture = this.#drawn.get(key) ?? this.#paint(page)
    this.#drawn.set(key, picture)
    return picture
  }

  #paint(subject: Subject): Picture {
    const deadlocks = this.#around.deadlocks
      .filter((cycle) => cycle.some(({ waitsFor }) => isAbout(subject, waitsFor.name)))
      .map((cycle) => cycle.map(linkOf))
    const since = this.historyMs > 0 ? Math.max(this.#since, Date.now() - this.historyMs) : this.#since
    // What hangs on one lock has other names.
    const waits = this.#around.waits
      .filter(
        ({ waitsFor, holds }) =>
          subject.name !== undefined || [waitsFor, holds].some(({ name }) => isAbout(subject, name)),
      )
      .slice(0, MOST_WAITS)
      .map(linkOf)
    const painted = subject.filter === undefined ? this.#paintOne(subject.name) : this.#paintList(subject)
    return { ...painted, deadlocks, waits, changes: [], since: since - (since % 1_000) }
  }

  #paintOne(name: string): Painted {
    const about = this.#watched.get(name)
    const rows = about?.rows('page') ?? []
    return {
      ...{ rows, total: rows.length, from: 0, isAll: about?.looked ?? false, unreadable: 0 },
      trouble: this.#trouble ?? about?.trouble ?? null,
      ...{ totals: null, trend: null, traffic: null },
    }
  }

  #paintList(subject: ListSubject): Painted {
    const inventory = this.#inventories.of(subject.filter)
    if (!inventory) throw new Error('a page that is open has an inventory')
    const { names, from } = inventory.shown(subject.sort, subject.page)
    const { total, isAll, unreadable, totals } = inventory
    return {
      rows: names.flatMap((name) => this.#watched.get(name)?.rows('line') ?? []),
      ...{ total, from, isAll, unreadable, totals },
      trend: inventory.trend(totals),
      traffic: this.meter?.traffic ?? null,
      trouble: this.#trouble ?? inventory.trouble ?? null,
    }
  }
}

function isAbout({ filter, name }: Subject, changed: string): boolean {
  return filter === undefined ? changed === name : matchesGlob(patternOf(filter), changed)
}
