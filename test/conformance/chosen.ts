/**
 * The cases of the suite that run in the places whose mechanism other places show in full (the project `places`). What a case is about is
 * the store: what only the core does is shown in virtual time, and by every store that runs the whole suite. docs/testing.md says how
 * this list was found. `npm run test:all -- everywhere` runs all cases in these places.
 */

/** Of each kind of lock. */
export const ofEachKind: readonly string[] = [
  'a held lock is refused to another client',
  'L1: a hold with a lease is not renewed; when the lease ends the next waiter gets in',
  'L1: a hold without a lease time is kept over several leases, and others stay out',
  'W1: a release by another client wakes the waiter, without waiting for the lease to end',
]

/** Of the plain lock, and of what is no lock. */
export const once: readonly string[] = [
  'are those that the store states',
  'O1: two tasks outside any scope contend, two calls with one explicit owner re-enter',
  'O5: by another owner, another scope or another process it is a NotOwnerError, and changes nothing',
  'O5: after forceUnlock it is a LockLostError, and the next owner’s hold stays as it is',
  'L2: a nested hold with a shorter lease does not shorten the time left, nor does its release',
  'L2: a nested watched hold, and its renewals, do not shorten a long lease',
  'L1: a leased hold nested in a watched one is renewed as long as the outer needs it',
  'L1: a lease that was extended lasts so long from the extension on, here and in the store',
  'L4: an extension that finds the lock gone is a loss',
  'L4: a renewal answered "not yours" is loss at once, long before the deadline',
  'L4: the loss of one lock does not keep others from being renewed',
  'L6: a lock that is lost can be taken anew, and is then held anew',
  'W4: an abort ends acquire with the signal’s reason, and leaves nothing behind',
  'W4: a timeout leaves nothing behind',
  'W4: a grant that arrives after its waiter left is given back',
  'W4: an abandoned nested acquisition lowers the count again and keeps the outer hold',
  'L5: a release that is on its way when the client closes is carried out',
  'W1: a release between the attempt and the subscription is not missed',
  'W1: a forceUnlock by a third client wakes the waiter',
  'W1: waiters of several clients all get in, one after the other',
  'W3: get it in the order in which they came',
  'S4: a client that is closed while it waits is never granted the lock',
  'an heir with a lease has exactly that, also where more was left, and is not renewed; then the next gets in',
  'goes to another process that waits for it at once, and lingers no more',
  'others learn since when it is held: the time stays with nested holds and renewals, and a new owner has a new one',
  'Redisson’s shape: lock twice is hold count 2, and a third unlock is a NotOwnerError',
  'a held lock answers for its holder and for others, to every client',
  'list shows the locks that are held, with their holders, and none that are free',
  'list takes the glob’s special characters in a name literally after a backslash',
  'forceUnlock frees a lock whoever holds it, however often, and tells whether it was held',
  'a NUL: held, seen, nested, refused, woken and listed across two clients',
  'unicode: held, seen, nested, refused, woken and listed across two clients',
  '64 KB: held, seen, nested, refused, woken and listed across two clients',
  'names that differ only in what braces, spaces or case make of them are different locks',
  'J2: a job that ends sooner stays taken for atLeastMs, for machines whose clocks are behind; then it is free',
  'S1: locks that end are each told once, before another client has one',
  'S3, X1: an answer to acquire that is lost counts once',
  'S3, X1: an answer to release that is lost counts once',
  'S3, W4: what a call took that never heard of it is given back',
  'S6: a release sends news to one client, whoever else waits',
  'S7: a connection that comes back within the lease has lost nothing',
  'D1: a hold that was detached keeps others out, and whoever has its ticket goes on with it',
  'D2: a ticket is good once, however many use it at the same time',
  'holds all of its locks for one owner, and frees all',
  'W4: a wait that ends gives back what it has got meanwhile, and leaves nobody waiting',
  'capacity: 12 callers in two processes on 4 stripes, never two on one, and all get their turn',
  'S10: grow when the lock was forced open, when its lease ended, and when it was left free',
  'S10: grow when a lock without tokens was taken in between',
  'E1, L3: the term ends by the candidate’s own clock before another is elected; the fence grows',
  'E5: observers see who leads and with which fence, in every process, and that nobody does',
  'one writes, and nobody else reads or writes',
  'a reader that comes after a waiting writer waits its turn',
  'a lease that ends on one side lets in the other',
  'many waiters of several clients: never more inside than permits, and all get in',
  'what a client that has gone took comes back when its lease ends, and a waiter gets in then',
  'W4: abort, timeout and close leave the number right, and nothing behind',
  'H18: a permit whose end is brought nearer is taken then by who waits, without an announcement of that end',
  'a latch lets pass all that wait when it opens, and is idle then',
  'one caller of all computes, all get the value, and later ones too',
  'after ttlMs it is computed anew',
]

/** The kinds of which only `ofEachKind` runs. */
export const otherKinds: readonly string[] = ['fenced lock', 'fair lock', 'spin lock', 'write lock']
