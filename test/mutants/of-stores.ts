import type { Fault } from './fault.js'
import { inSource } from './in-source.js'

/** Broken versions of the stores and the kinds on them, beside those that chaos hunts. */
export const ofStores: readonly Fault[] = [
  ...inSource(
    'stores/rows/exclusive-lock.ts',
    {
      name: 'row-token-stands-still',
      fault: 'a tenure in a row has the token of the one before',
      text: 'const minted = nextFence(body.fence, this.#firstFence)',
      becomes: 'const minted = body.fence ?? nextFence(body.fence, this.#firstFence)',
    },
    {
      name: 'row-line-stands',
      fault: 'a release in a row grants the lock to nobody',
      text: 'this.line.settled(owner)\n    this.line.advance()',
      becomes: 'this.line.settled(owner)',
    },
    {
      name: 'lingering-unasked',
      fault: 'a process that keeps a lock in a row is not told that others ask for it',
      text: 'if (!lingers.told && this.#way.reaches(client)) {',
      becomes: 'if (lingers.told && this.#way.reaches(client)) {',
    },
    {
      name: 'value-without-end',
      fault: 'a value that was computed once is never computed anew',
      text: 'if (value && value.until <= this.now) this.#body.value = undefined',
      becomes: '',
    },
  ),
  ...inSource(
    'stores/rows/read-write-lock.ts',
    {
      name: 'row-writer-beside-readers',
      fault: 'a writer is admitted beside readers of a row',
      text: 'return this.members.length === 0 && this.tiedTo(member) === undefined',
      becomes: 'return this.tiedTo(member) === undefined',
    },
    {
      name: 'row-reader-beside-writer',
      fault: 'a reader is admitted beside a writer of a row',
      text: 'if (writer !== undefined) return writer === ownerOf(member)',
      becomes: 'if (writer !== undefined) return true',
    },
    {
      name: 'row-of-ended-readers',
      fault: 'a hold of a row outlives its lease',
      text: 'if (endsAt <= now || draft.ended(clientOf(member))) delete body.holds[member]',
      becomes: 'if (draft.ended(clientOf(member))) delete body.holds[member]',
    },
  ),
  ...inSource(
    'stores/rows/line.ts',
    {
      name: 'row-last-come-first-served',
      fault: 'whoever came last to a row is served first',
      text: 'if (!known) places.push(place)',
      becomes: 'if (!known) places.unshift(place)',
    },
    {
      name: 'row-place-kept',
      fault: 'a place in a row outlives the call that had it',
      text: 'body.places.splice(at, 1)',
      becomes: 'body.places.splice(at, 0)',
    },
    {
      name: 'row-away-not-passed-over',
      fault: 'those behind a process that is gone are not let in',
      text: 'else if (process.awaySince !== undefined) continue',
      becomes: 'else if (process.awaySince !== undefined) break',
    },
    {
      name: 'row-lapsed-grants-unsuspected',
      fault: 'a process that takes over no grant is granted the lock again and again',
      text: 'process.awaySince = this.way.now\n      process.looksAt',
      becomes: 'process.looksAt',
    },
    {
      name: 'row-head-unwarned',
      fault: 'the first in line of a row is not told that the lock ends sooner than it knows',
      text: 'if (!process || process.looksAt <= looksAt + SLACK_MS) return',
      becomes: 'if (!process || process.looksAt <= looksAt + 1e9) return',
    },
  ),
  ...inSource(
    'stores/session/lock-port.ts',
    {
      name: 'nested-lease-shortens',
      fault: 'a nested hold with a shorter lease shortens the one around it',
      text: 'if (endsAt > place.endsAt) {',
      becomes: 'if (endsAt !== place.endsAt) {',
    },
    {
      name: 'entry-left-behind',
      fault: 'a release leaves the entry in the line',
      text: "if (heldBefore === 1) return (await this.places.leave(place)) ? 'released' : gone",
      becomes: "if (heldBefore === 1) return 'released'",
    },
    {
      name: 'entry-unverified',
      fault: 'a nested hold does not look whether the entry is still there',
      text: "if (!place || place.holds === 0 || !(await places.isThere(place))) return { outcome: 'lost' }",
      becomes: "if (!place || place.holds === 0) return { outcome: 'lost' }",
    },
    {
      name: 'news-of-entries-untold',
      fault: 'no call hears of the end of an entry',
      text: 'this.#listeners.tell(name, news)',
      becomes: 'void [name, news]',
    },
    {
      name: 'first-not-ousted',
      fault: 'forcing a lock open leaves its holder',
      text: 'await Promise.all(mine.map(({ key })',
      becomes: 'await Promise.all(mine.slice(1).map(({ key })',
    },
    {
      name: 'upgrade-waits-for-itself',
      fault: 'a reader that asks to write waits for its own reading',
      text: 'if (reading && reading.holds > 0) throw new LockUpgradeError',
      becomes: 'if (reading && reading.holds > 9) throw new LockUpgradeError',
    },
  ),
  ...inSource(
    'stores/session/turns.ts',
    {
      name: 'session-reader-beside-writer',
      fault: 'a reader is admitted beside a writer in the line',
      text: "ahead.findLast((each) => each.mode !== 'read' && each.order !== within)",
      becomes: "ahead.findLast((each) => each.mode !== 'read' && each.order === within)",
    },
    {
      name: 'session-line-reversed',
      fault: 'whoever came last stands first',
      text: 'return one < other ? -1 : Number(one > other)',
      becomes: 'return one > other ? -1 : Number(one < other)',
    },
  ),
  ...inSource(
    'stores/quorum/tally.ts',
    {
      name: 'one-vote-suffices',
      fault: 'a single server decides',
      text: "if (count('granted') >= majority) return GRANTED",
      becomes: "if (count('granted') >= 1) return GRANTED",
    },
    {
      name: 'too-few-servers-unnoticed',
      fault: 'a call goes on although no majority can answer',
      text: "if (count('failed') > sparesOf(votes.length)) return UNAVAILABLE",
      becomes: '',
    },
  ),
  ...inSource('stores/quorum/ballot.ts', {
    name: 'votes-kept',
    fault: 'the votes of an election in vain are not given back',
    text: "sent.then(({ outcome }) => outcome === 'granted'),",
    becomes: 'sent.then(() => false),',
  }),
  ...inSource(
    'stores/quorum/lock-port.ts',
    {
      name: 'minority-renews',
      fault: 'a renewal counts where one server has answered',
      text: 'if (countOf(answers, (renewed) => renewed) >= this.#majority) return true',
      becomes: 'if (countOf(answers, (renewed) => renewed) >= 1) return true',
    },
    {
      name: 'minority-releases',
      fault: 'a release counts where one server has answered',
      text: 'if (freed.length < this.#majority) return undefined',
      becomes: 'if (freed.length < 1) return undefined',
    },
  ),
  ...inSource('stores/quorum/timing.ts', {
    name: 'time-of-votes-uncounted',
    fault: 'the time that the votes took is not taken off the lease',
    text: 'return leaseDeadline(0, leaseMs) - elapsedMs',
    becomes: 'return leaseDeadline(0, leaseMs) - 0 * elapsedMs',
  }),
  ...inSource(
    'stores/memcached/items.ts',
    {
      name: 'item-of-anybody-changed',
      fault: 'the item of another owner is taken for the caller’s own',
      text: 'if (item?.owner !== owner) return false',
      becomes: 'if (!item) return false',
    },
    {
      name: 'item-outlives-its-lease',
      fault: 'the client does not end the lease that memcached rounds up',
      text: 'entry.alarm = schedule.at(endsAt, () => this.#end(entry))',
      becomes: 'entry.alarm = schedule.at(endsAt, () => undefined)',
    },
  ),
  ...inSource('stores/memcached/lock-port.ts', {
    name: 'memcached-nested-shortens',
    fault: 'a nested hold with a shorter lease shortens the item’s',
    text: 'return leftMs < Infinity ? Math.max(leaseMs, leftMs) : leaseMs',
    becomes: 'return leftMs < Infinity ? leaseMs : leaseMs',
  }),
  ...inSource('transactions/update-versioned.ts', {
    name: 'version-not-compared',
    fault: 'a row is written although others have changed it',
    text: "write.equal([...Object.entries(key), [version, seen]], ' AND ')",
    becomes: "write.equal(Object.entries(key), ' AND ')",
  }),
  ...inSource('transactions/transaction-lock.ts', {
    name: 'transaction-lock-shared',
    fault: 'transactions share a lock that each wanted alone',
    text: "shared ? '_shared' : ''",
    becomes: "shared ? '_shared' : '_shared'",
  }),
  ...inSource('transactions/row-lock.ts', {
    name: 'row-lock-without-transaction',
    fault: 'a row is locked on a connection that has no transaction, and so for no time at all',
    text: 'if (!session.inTransaction()) throw new NoTransactionError(statement.text)',
    becomes: '',
  }),
  ...inSource('transactions/update-versioned.ts', {
    name: 'old-snapshot-unnoticed',
    fault: 'a transaction that cannot see the changes of others tries again and again',
    text: 'if (attempt > 1 && String(seen) === String(refused)) throw',
    becomes: 'if (attempt > 1e9) throw',
  }),
  ...inSource('stores/memcached/lock-port.ts', {
    name: 'memcached-loss-at-release-untold',
    fault: 'a release that finds the item gone says that all was well',
    text: "return repeated ? 'released' : 'not-owner'",
    becomes: "return 'released'",
  }),
  ...inSource('stores/etcd/client/watches.ts', {
    name: 'etcd-watches-forgotten',
    fault: 'a new stream does not watch what the one before did',
    text: 'for (const watch of this.#watches) this.#stream.begin(watch)',
    becomes: 'for (const watch of [...this.#watches].slice(-1)) this.#stream.begin(watch)',
  }),
  ...inSource(
    'stores/etcd/cells.ts',
    {
      name: 'etcd-version-ignored',
      fault: 'a value is written whatever was written since it was read',
      text: 'if (version !== undefined) when.push(',
      becomes: 'if (version === 0n) when.push(',
    },
    {
      name: 'etcd-entry-ignored',
      fault: 'a value is written although the lock that it depends on is lost',
      text: 'when.push({ key: standing.stored, createRevision: standing.order })',
      becomes: '',
    },
  ),
  ...inSource(
    'stores/zookeeper/cells.ts',
    {
      name: 'zookeeper-version-ignored',
      fault: 'a value is written whatever was written since it was read',
      text: '? [check(mark(version)), setData(path, data, written)]',
      becomes: '? [setData(path, data, -1)]',
    },
    {
      name: 'zookeeper-entry-ignored',
      fault: 'a value is written although the lock that it depends on is lost',
      text: 'const guards = entry === undefined ? [] : [check(entry)]',
      becomes: 'const guards: Step[] = []',
    },
    {
      name: 'zookeeper-next-session-silent',
      fault: 'what changed between two sessions is told to nobody',
      text: 'this.#watchBy(session, watched).catch(() => undefined)\n      watched.onChange()',
      becomes: 'void session',
    },
  ),
  ...inSource('stores/node-redis/cluster.ts', {
    name: 'asking-unsaid',
    fault: 'a node that takes over a slot is not told that the command was sent there on purpose',
    text: "if (word === 'ASK') return await this.#to(there, slot, asked(send), attempts + 1)",
    becomes: "if (word === 'ASK') return await this.#to(there, slot, send, attempts + 1)",
  }),
  ...inSource('stores/node-redis/reply-error.ts', {
    name: 'refusal-of-node-redis-unnamed',
    fault: 'a refusal of the server counts as an outcome that nobody knows',
    text: "if (isErrorReply(error)) error.name = 'ReplyError'",
    becomes: '',
  }),
]
