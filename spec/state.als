/*
  What there is, and what a state consists of. `var` marks what changes from state to state. See docs/model.md.
*/
module state

/** As whom the lock is held. */
abstract sig Owner {}
/** An owner id of a Holdfast process, and its place in line, which has the same name. Used again once nothing is left of it. */
sig Place extends Owner { of: one Process }
/** A client of Redisson. It stands in no line. */
sig Outsider extends Owner {}
/** A process that uses Holdfast. Its calls for the lock queue in its memory; in line it has one place for all of them. */
sig Process {}

/** Rules of the design. A check may leave one out, and then has to fail. */
abstract sig Rule {}
one sig Recheck, PassOver, Lease, Turn, TurnKept, CallNext, CountOnce, Clock, Freshness extends Rule {}
one sig Design { without: lone Rule }

// ----- the store

/** The owner in the lock's hash, if any; a holder whose grant has no lease; one whose single hold is counted as two. */
var lone sig Holder, Endless, Twice in Owner {}
/** The line: places, and whom each stands before. */
var sig Line in Place { var precedes: set Place }
/** Processes that are passed over until they ask; the place that was let in last and has neither asked nor released since. */
var sig Away in Process {}
var lone sig Last in Place {}

/** Whose turn it is while Redisson's clients wait: ours for a time, and from the first release after that theirs for a time. */
abstract sig Turns {}
one sig Nobodys, Ours, OursSpent, Theirs extends Turns {}

// ----- on the way

abstract sig Reply {}
one sig Granted, Busy, BusyFirst, TooLate extends Reply {}
/** Answers to acquire on their way. */
var sig Answered in Place { var reply: one Reply }
/** Requests to acquire that will be delivered once more. */
var sig Copied in Place {}
/** Messages of grants on their way; of these, the ones whose lease still runs by the clock of the process. */
var sig Told, Fresh in Place {}
/** Places that were given up, until the release that says so has been carried out. */
var sig GivenUp in Place {}

// ----- those who take part

/** Some call wants the lock. */
var sig Waits in Process + Outsider {}
/** Has a reason to ask now: a permit of its wake-up semaphore. */
var sig Woken in Process + Outsider {}
/** Has its timer set to the end of the present lease; to the end of the present turn of others. */
var sig Timed in Process + Outsider {}
var sig SitsOut in Process {}
/** Processes that ask, or stand in line, and as whom. */
var sig Asks in Process { var alias: one Place }
/** Owners that believe they have the lock, whose own clock says that the lease runs. */
var sig Believes in Owner {}
/** Owners whose lock was taken by force, or lost with the store's data. */
var sig Robbed in Owner {}
/** Processes that the store reaches on their own channel; that listen to the release channel; that know that they are to. */
var sig Reached, Listens, First in Process {}
var sig Dead in Process + Outsider {}
var sig Frozen in Process {}

/** What happens between this state and the next, and to whom: for those who read a trace. */
abstract sig Action {}
one sig Acquire, Release, HandOver, ForceUnlock, Renew, Resend extends Action {}
one sig Wants, GivesUp, ReadsReply, ReadsGrant, Subscribes, ListensToReleases extends Action {}
one sig TriesAsRedisson, UnlocksAsRedisson, Crash, Freeze, Thaw, Cut, ReplyLost, CopyLost, KeyLost extends Action {}
one sig LeaseOverForOwner, LeaseEnds, SliceEnds, Nothing extends Action {}
one sig Now {
  var turn: one Turns,
  var action: one Action, var by: lone Owner + Process, var answer: lone Reply, var next: lone Place
}
fun byPlace: set Action { Acquire + Resend + ReadsReply + ReadsGrant + Release + HandOver + Renew + ReplyLost + CopyLost }
fun byProcess: set Action { Subscribes + ListensToReleases + GivesUp + Freeze + Thaw + Cut }
fun byOutsider: set Action { TriesAsRedisson + UnlocksAsRedisson }

// ----- shorthand

fun live: set Process + Outsider { Process + Outsider - Dead }
fun well: set Process { Process - Dead - Frozen }
/** Redisson's clients that a script counts on the release channel. */
fun counted: set Outsider { Outsider & Waits - Dead }
fun listeners: set Process + Outsider { Listens + counted }
fun first[places: set Place]: set Place { { a: places | no precedes.a & places } }
/** Who stands first, of those that are not passed over, in the next state. */
fun headAfter: set Place { { a: Line' - of.Away' | no precedes'.a & (Line' - of.Away') } }
/** Nothing anywhere knows that owner id. */
pred unused[a: Place] { a not in Holder + Line + Answered + Copied + Told + GivenUp + Believes + Asks.alias }
pred rule[r: Rule] { r not in Design.without }

pred sameLock { Holder' = Holder and Endless' = Endless and Twice' = Twice }
pred sameLine { Line' = Line and precedes' = precedes and Away' = Away and Last' = Last and Now.turn' = Now.turn }
pred sameStore { sameLock and sameLine }
pred sameReplies { Answered' = Answered and reply' = reply }
pred sameGrants { Told' = Told and Fresh' = Fresh }
pred sameTimers { Timed' = Timed and SitsOut' = SitsOut }
pred sameWaking { Woken' = Woken and sameTimers }
pred sameAsking { Asks' = Asks and alias' = alias }
pred sameChannels { Reached' = Reached and Listens' = Listens and First' = First }
pred sameHealth { Dead' = Dead and Frozen' = Frozen }
