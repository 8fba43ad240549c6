/** Broken versions of the stores and the kinds on them, beside those that chaos hunts. */
export const ofStores = `
src/stores/rows/exclusive-lock.ts
row-token-stands-still: a tenure in a row has the token of the one before
- const minted = nextFence(body.fence, this.#firstFence)
+ const minted = body.fence ?? nextFence(body.fence, this.#firstFence)
row-line-stands: a release in a row grants the lock to nobody
- this.line.settled(owner)
-     this.line.advance()
+ this.line.settled(owner)
lingering-unasked: a process that keeps a lock in a row is not told that others ask for it
- if (!lingers.told && this.#way.reaches(client)) {
+ if (lingers.told && this.#way.reaches(client)) {
value-without-end: a value that was computed once is never computed anew
- if (value && value.until <= this.now) this.#body.value = undefined
src/stores/rows/read-write-lock.ts
row-writer-beside-readers: a writer is admitted beside readers of a row
- return this.members.length === 0 && this.tiedTo(member) === undefined
+ return this.tiedTo(member) === undefined
row-reader-beside-writer: a reader is admitted beside a writer of a row
- if (writer !== undefined) return writer === ownerOf(member)
+ if (writer !== undefined) return true
row-of-ended-readers: a hold of a row outlives its lease
- if (endsAt <= now || draft.ended(clientOf(member))) delete body.holds[member]
+ if (draft.ended(clientOf(member))) delete body.holds[member]
src/stores/rows/line.ts
row-last-come-first-served: whoever came last to a row is served first
- if (!known) places.push(place)
+ if (!known) places.unshift(place)
row-place-kept: a place in a row outlives the call that had it
- body.places.splice(at, 1)
+ body.places.splice(at, 0)
row-away-not-passed-over: those behind a process that is gone are not let in
- else if (process.awaySince !== undefined) continue
+ else if (process.awaySince !== undefined) break
row-lapsed-grants-unsuspected: a process that takes over no grant is granted the lock again and again
- process.awaySince = this.way.now
-       process.looksAt
+ process.looksAt
row-head-unwarned: the first in line of a row is not told that the lock ends sooner than it knows
- if (!process || process.looksAt <= looksAt + SLACK_MS) return
+ if (!process || process.looksAt <= looksAt + 1e9) return
src/stores/session/lock-port.ts
nested-lease-shortens: a nested hold with a shorter lease shortens the one around it
- if (endsAt > place.endsAt) {
+ if (endsAt !== place.endsAt) {
entry-left-behind: a release leaves the entry in the line
- if (heldBefore === 1) return (await this.places.leave(place)) ? 'released' : gone
+ if (heldBefore === 1) return 'released'
entry-unverified: a nested hold does not look whether the entry is still there
- if (!place || place.holds === 0 || !(await places.isThere(place))) return { outcome: 'lost' }
+ if (!place || place.holds === 0) return { outcome: 'lost' }
news-of-entries-untold: no call hears of the end of an entry
- this.#listeners.tell(name, news)
+ void [name, news]
first-not-ousted: forcing a lock open leaves its holder
- this.places.oust(this.#lock(name), this.#mine(await this.#read(name)))
+ this.places.oust(this.#lock(name), this.#mine(await this.#read(name)).slice(1))
upgrade-waits-for-itself: a reader that asks to write waits for its own reading
- if (reading && reading.holds > 0) throw new LockUpgradeError
+ if (reading && reading.holds > 9) throw new LockUpgradeError
src/stores/session/turns.ts
session-reader-beside-writer: a reader is admitted beside a writer in the line
- ahead.findLast((each) => each.mode !== 'read' && each.order !== within)
+ ahead.findLast((each) => each.mode !== 'read' && each.order === within)
session-line-reversed: whoever came last stands first
- return one < other ? -1 : Number(one > other)
+ return one > other ? -1 : Number(one < other)
src/stores/quorum/tally.ts
one-vote-suffices: a single server decides
- if (count('granted') >= majority) return GRANTED
+ if (count('granted') >= 1) return GRANTED
too-few-servers-unnoticed: a call goes on although no majority can answer
- if (count('failed') > sparesOf(votes.length)) return UNAVAILABLE
src/stores/quorum/ballot.ts
votes-kept: the votes of an election in vain are not given back
- sent.then(({ outcome }) => outcome === 'granted')
+ sent.then(() => false)
src/stores/quorum/lock-port.ts
minority-renews: a renewal counts where one server has answered
- if (countOf(answers, (renewed) => renewed) >= this.#majority) return true
+ if (countOf(answers, (renewed) => renewed) >= 1) return true
minority-releases: a release counts where one server has answered
- if (freed.length < this.#majority) return undefined
+ if (freed.length < 1) return undefined
src/stores/quorum/timing.ts
time-of-votes-uncounted: the time that the votes took is not taken off the lease
- return leaseDeadline(0, leaseMs) - elapsedMs
+ return leaseDeadline(0, leaseMs) - 0 * elapsedMs
src/stores/memcached/items.ts
item-of-anybody-changed: the item of another owner is taken for the caller’s own
- if (item?.owner !== owner) return false
+ if (!item) return false
item-outlives-its-lease: the client does not end the lease that memcached rounds up
- entry.alarm = schedule.at(endsAt, () => this.#end(entry))
+ entry.alarm = schedule.at(endsAt, () => undefined)
src/stores/memcached/lock-port.ts
memcached-nested-shortens: a nested hold with a shorter lease shortens the item’s
- return leftMs < Infinity ? Math.max(leaseMs, leftMs) : leaseMs
+ return leftMs < Infinity ? leaseMs : leaseMs
memcached-loss-at-release-untold: a release that finds the item gone says that all was well
- return repeated ? 'released' : 'not-owner'
+ return 'released'
src/transactions/update-versioned.ts
version-not-compared: a row is written although others have changed it
- write.equal([...Object.entries(key), [version, seen]], ' AND ')
+ write.equal(Object.entries(key), ' AND ')
old-snapshot-unnoticed: a transaction that cannot see the changes of others tries again and again
- if (attempt > 1 && String(seen) === String(refused)) throw
+ if (attempt > 1e9) throw
src/transactions/transaction-lock.ts
transaction-lock-shared: transactions share a lock that each wanted alone
- shared ? '_shared' : ''
+ shared ? '_shared' : '_shared'
src/transactions/row-lock.ts
row-lock-without-transaction: a row is locked on a connection that has no transaction, and so for no time at all
- if (!(await isInTransaction(session))) throw new NoTransactionError(statement.text)
src/stores/etcd/client/watches.ts
etcd-watches-forgotten: a new stream does not watch what the one before did
- for (const watch of this.#watches) this.#stream.begin(watch)
+ for (const watch of [...this.#watches].slice(-1)) this.#stream.begin(watch)
src/stores/etcd/cells.ts
etcd-version-ignored: a value is written whatever was written since it was read
- if (version !== undefined) when.push(
+ if (version === 0n) when.push(
etcd-entry-ignored: a value is written although the lock that it depends on is lost
- when.push({ key: standing.stored, createRevision: standing.order })
src/stores/zookeeper/cells.ts
zookeeper-version-ignored: a value is written whatever was written since it was read
- ? [check(mark(version)), setData(path, data, written)]
+ ? [setData(path, data, -1)]
zookeeper-entry-ignored: a value is written although the lock that it depends on is lost
- const guards = entry === undefined ? [] : [check(entry)]
+ const guards: Step[] = []
zookeeper-next-session-silent: what changed between two sessions is told to nobody
- this.#watchBy(session, watched).catch(() => undefined)
-       watched.onChange()
+ void session
src/stores/node-redis/cluster.ts
asking-unsaid: a node that takes over a slot is not told that the command was sent there on purpose
- if (word === 'ASK') return await this.#to(there, slot, asked(send), attempts + 1)
+ if (word === 'ASK') return await this.#to(there, slot, send, attempts + 1)
src/stores/node-redis/connection.ts
refusal-of-node-redis-unnamed: a refusal of the server counts as an outcome that nobody knows
- if (isError(error) && !('code' in error) && REPLY.test(error.message)) error.name = 'ReplyError'
`
