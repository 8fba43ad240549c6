import type { Kind } from './kinds.js'
import type { Random } from './random.js'
import { PERMITS, type Resource } from './resource.js'
import type { SectionStep, Step, Target, Way } from './step.js'

export interface Terms {
  readonly kinds: readonly Kind[]
  readonly resources: readonly Resource[]
  /** The longest that a section works, rarely; most take a few milliseconds. */
  readonly longestWorkMs: number
  /** Whether that is not so rare. */
  readonly longWork: boolean
  readonly resizes: Resizes
}

/**
 * How programs may change the numbers of permits: not at all where data may be lost, for then nobody knows them; by adding first
 * where what is begun may not be finished, so that there are never too few for good; else in any order.
 */
export type Resizes = 'none' | 'by-adding' | 'any'

interface Enclosing {
  /** The rank of what was taken last: anything further comes after it. */
  readonly rank: number
  /** What was taken last, which may be taken once more. */
  readonly innermost: Target | undefined
  readonly depth: number
}

const OUTSIDE: Enclosing = { rank: -1, innermost: undefined, depth: 0 }
const DEEPEST = 3

/**
 * A random program that cannot deadlock by itself: names are taken in the order of their ranks, only what was taken last is taken
 * again, and nobody who reads asks to write.
 */
export function generate(random: Random, terms: Terms): Step[] {
  return random.chance(0.15)
    ? [{ do: 'run', body: steps(random, terms, OUTSIDE) }]
    : steps(random, terms, OUTSIDE)
}

function steps(random: Random, terms: Terms, enclosing: Enclosing): Step[] {
  const sections = enclosing.depth === 0 || random.chance(0.8) ? 1 : 2
  return Array.from({ length: sections }, () => step(random, terms, enclosing))
}

function step(random: Random, terms: Terms, enclosing: Enclosing): Step {
  const nested = enclosing.depth > 0
  const resized = terms.resizes !== 'none' && random.chance(0.03) ? resize(random, terms) : undefined
  if (resized) return resized
  const { kinds } = terms
  if (kinds.includes('latch') && random.chance(1 / kinds.length)) return latch(random, terms)
  if (nested && random.chance(0.2)) return work(random, terms)
  if (enclosing.depth < DEEPEST && nested && random.chance(0.25)) {
    const deeper = { ...enclosing, depth: enclosing.depth + 1 }
    const branches = Array.from({ length: random.whole(2, 3) }, () => [section(random, terms, deeper)])
    return { do: 'siblings', branches: branches.map((branch) => branch.map(orWork(random, terms))) }
  }
  if (nested && random.chance(0.05)) {
    const body = [orWork(random, terms)(section(random, terms, { ...enclosing, depth: DEEPEST }))]
    return { do: 'detached', afterMs: random.whole(0, 10), body }
  }
  return orWork(random, terms)(section(random, terms, enclosing))
}

function section(random: Random, terms: Terms, enclosing: Enclosing): SectionStep | undefined {
  const again = enclosing.innermost
  const reenters = again !== undefined && isReentrant(again) && random.chance(0.3)
  const chosen = reenters
    ? { target: onceMore(random, again), rank: enclosing.rank }
    : newTarget(random, terms, enclosing)
  if (!chosen) return undefined
  const { target, rank } = chosen
  const inner = { rank, innermost: target, depth: enclosing.depth + 1 }
  const nests = target.kind !== 'compute-once' && enclosing.depth < DEEPEST && random.chance(0.3)
  const body = nests ? steps(random, terms, inner) : [work(random, terms)]
  const { waitMs, abortAfterMs } = patience(random)
  // What detached work acquires may belong to a scope that outlives the one it was begun in: nobody outside could tell to which.
  // Unless it does so for an owner of its own.
  const deepest = enclosing.depth >= DEEPEST
  const asAnother = deepest && !reenters && hasOwner(target) && random.chance(0.4)
  const inDeepest = asAnother ? 'acquire' : 'withLock'
  const way = deepest ? inDeepest : wayInto(random, target, waitMs, enclosing.depth > 0)
  const acquires = way === 'acquire' || way === 'tryAcquire'
  // A lease that may be shorter than the section: the loss is part of the program.
  const leaseMs = random.chance(0.15) ? random.pick([50, 200, 1_000, 5_000]) : undefined
  return {
    do: 'section',
    target,
    way,
    waitMs,
    abortAfterMs,
    leaseMs,
    // What `lock()` takes for an explicit owner has no scope in which its body could take it again.
    explicitOwner:
      asAnother ||
      (!reenters && way !== 'lock' && way !== 'tryLock' && hasOwner(target) && random.chance(0.4)),
    handedOn: acquires && hasOwner(target) && random.chance(0.3),
    lapses: target.kind === 'permits' && random.chance(0.1),
    // Mostly where the lease may end before the transaction does.
    booksMs:
      isTied(target) && random.chance(leaseMs === undefined ? 0.1 : 0.6)
        ? random.pick([0, 5, 100])
        : undefined,
    body,
  }
}

function latch(random: Random, terms: Terms): Step {
  const { name } = random.pick(terms.resources.filter(({ kind }) => kind === 'latch'))
  // Nobody waits without end: who closes a latch may be killed.
  const closes = random.chance(0.3)
  return { do: 'latch', name, closes, waitMs: random.pick([10, 1_000, 6_000]), ms: random.whole(0, 30) }
}

function resize(random: Random, { kinds, resources, resizes }: Terms): Step | undefined {
  const places = resources.flatMap(({ kind, name }) =>
    kinds.includes(kind) && (kind === 'semaphore' || kind === 'permits') ? [{ kind, name }] : [],
  )
  if (places.length === 0) return undefined
  const place = random.pick(places)
  // Permits with ids are not drained: an acquire of all of them does the same.
  const orders =
    place.kind === 'semaphore' ? (['add', 'reduce', 'drain'] as const) : (['add', 'reduce'] as const)
  const first = resizes === 'any' ? random.pick(orders) : 'add'
  return { do: 'resize', ...place, first, by: random.whole(1, PERMITS), ms: random.whole(0, 20) }
}

function patience(random: Random): Pick<SectionStep, 'waitMs' | 'abortAfterMs'> {
  const abortAfterMs = random.chance(0.1) ? random.whole(0, 100) : undefined
  if (random.chance(0.55)) return { waitMs: undefined, abortAfterMs }
  return { waitMs: random.chance(0.4) ? 0 : random.pick([1, 10, 100, 1_000]), abortAfterMs }
}

function wayInto(random: Random, { kind }: Target, waitMs: number | undefined, nested: boolean): Way {
  // What `acquire()` takes belongs to the enclosing scope: a sibling that writes beside one that reads would ask for an upgrade.
  if (nested && (kind === 'read' || kind === 'write')) return 'withLock'
  const ways: Way[] = ['withLock', 'withLock', 'acquire']
  if (waitMs !== undefined) ways.push('tryAcquire')
  if (kind !== 'semaphore' && kind !== 'permits' && kind !== 'striped' && kind !== 'compute-once') {
    ways.push('lock')
    if (waitMs !== undefined) ways.push('tryLock')
  }
  return kind === 'compute-once' ? 'withLock' : random.pick(ways)
}

function newTarget(
  random: Random,
  { kinds, resources }: Terms,
  { rank }: Enclosing,
): { target: Target; rank: number } | undefined {
  const later = resources.filter((resource) => resource.rank > rank)
  const members = later.filter(({ kind }) => kind === 'lock' || kind === 'fenced' || kind === 'fair')
  if (kinds.includes('multi') && members.length >= 2 && random.chance(0.15)) {
    const chosen = random.shuffled(members).slice(0, random.whole(2, Math.min(3, members.length)))
    return {
      target: { kind: 'multi', names: chosen.map(({ name }) => name) },
      rank: Math.max(...chosen.map((member) => member.rank)),
    }
  }
  const own = later.filter(({ kind }) => kind !== 'latch' && kinds.includes(kind))
  if (own.length === 0) return undefined
  // The kind first: some have more names than others.
  const kind = random.pick([...new Set(own.map((each) => each.kind))])
  const resource = random.pick(own.filter((each) => each.kind === kind))
  const target = targetOf(random, resource)
  return target && { target, rank: resource.rank }
}

function targetOf(random: Random, { kind, name }: Resource): Target | undefined {
  if (kind === 'latch') return undefined
  if (kind === 'read-write') return { kind: random.chance(0.6) ? 'read' : 'write', name }
  if (kind === 'striped')
    return { kind, name, key: random.chance(0.5) ? `key-${random.whole(1, 5)}` : undefined }
  if (kind === 'semaphore' || kind === 'permits')
    return { kind, name, permits: random.chance(0.7) ? 1 : random.whole(2, PERMITS) }
  return { kind, name }
}

function hasOwner({ kind }: Target): boolean {
  return !['semaphore', 'permits', 'compute-once'].includes(kind)
}

/** Whether its hold keeps all others out, and can be tied to a transaction. */
function isTied({ kind }: Target): boolean {
  return ['lock', 'fenced', 'spin', 'fair', 'write'].includes(kind)
}

function isReentrant(target: Target): boolean {
  if (target.kind === 'striped') return target.key !== undefined
  return !['semaphore', 'permits', 'compute-once'].includes(target.kind)
}

/** Within a write one may also read; within a read one may not write. */
function onceMore(random: Random, target: Target): Target {
  return target.kind === 'write' && random.chance(0.5) ? { kind: 'read', name: target.name } : target
}

function work(random: Random, { longestWorkMs, longWork }: Terms): Step {
  if (longWork && random.chance(0.1))
    return { do: 'work', ms: random.whole(longestWorkMs / 2, longestWorkMs) }
  if (random.chance(0.001)) return { do: 'work', ms: random.whole(200, longestWorkMs) }
  if (random.chance(0.7)) return { do: 'work', ms: 0 }
  return { do: 'work', ms: random.chance(0.9) ? random.whole(1, 3) : random.whole(5, 30) }
}

function orWork(random: Random, terms: Terms): (step: Step | undefined) => Step {
  return (step) => step ?? work(random, terms)
}
