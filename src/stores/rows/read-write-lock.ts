import type { Owner } from '../../base/identity/owner.js'
import { clientOf, modeOf, ownerOf, type Place } from '../line/place.js'
import { wayOf } from './letters.js'
import { aLine, Line, type LineBody, noLine, quietFrom } from './line.js'
import { nextFence } from './next-fence.js'
import { aCount, aFence, aRecordOf, aText, aTextThat, aTime, jsonIn, partsOf, type Read } from './parts.js'
import type { Draft } from './rows.js'
import { type Packed, restOf, type Shape } from './shape.js'
import { TIED_LOOK_MS, type Tied } from './ties.js'

/** Reading or writing. */
export type Side = 'r' | 'w'

/** One owner on one side, which holds or waits. */
export type Member = Place<Side>

export interface MemberHold {
  readonly fence: string
  count: number
  endsAt: number
  /** When the hold began. */
  readonly since: number
}

/** A read-write lock as its row keeps it. */
export interface ReadWriteBody {
  readonly holds: Record<Member, MemberHold>
  /** The last token given. */
  fence: bigint | undefined
  /** Open transactions, and the member for whom each keeps the lock, whatever becomes of the leases. */
  readonly ties: Tied<Member>
  readonly line: LineBody
}

type Rest = Partial<Pick<ReadWriteBody, 'holds' | 'ties' | 'line'>>

const aMember = aTextThat('a member', isMember)

const aRest: Read<Rest> = partsOf(
  {},
  {
    holds: aRecordOf(aMember, partsOf({ fence: aFence, count: aCount, endsAt: aTime, since: aTime }, {})),
    ties: aRecordOf(aText, aMember),
    line: aLine,
  },
)

export const readWriteLocks: Shape<ReadWriteBody> = {
  keyspace: 'read-write',
  blank: () => ({ holds: {}, fence: undefined, ties: {}, line: noLine() }),
  pack: ({ holds, fence, ties, line }): Packed => {
    const members = membersOf(holds)
    const writer = members.find(([member]) => modeOf(member) === 'w')
    const tied = Object.keys(ties).length > 0
    const parts: Rest = {
      ...(members.length > 0 && { holds }),
      ...(tied && { ties }),
      ...(line.places.length > 0 && { line }),
    }
    const endsAt = Math.max(0, ...members.map(([, each]) => each.endsAt))
    return {
      owner: writer && ownerOf(writer[0]),
      holds: members.reduce((sum, [, { count }]) => sum + count, 0),
      endsAt: members.length > 0 ? endsAt : undefined,
      fence,
      waiting: Object.keys(line.processes),
      rest: restOf(parts, tied ? Infinity : Math.max(endsAt, quietFrom(line))),
    }
  },
  unpack: ({ fence, rest }): ReadWriteBody => {
    const { holds = {}, ties = {}, line = noLine() } = rest === undefined ? {} : jsonIn(rest, 'rest', aRest)
    return { holds, fence, ties, line }
  },
}

/** One lock during a change of its row, without the holds whose lease has ended. */
export class ReadWriteLock {
  readonly line: Line<Member>
  readonly now: number

  constructor(
    name: string,
    private readonly draft: Draft<ReadWriteBody>,
  ) {
    const { body, now } = draft
    this.now = now
    for (const [member, { endsAt }] of membersOf(body.holds))
      if (endsAt <= now || draft.ended(clientOf(member))) delete body.holds[member]
    for (const tie of Object.keys(body.ties)) if (draft.tieEnded?.(tie)) delete body.ties[tie]
    this.line = new Line(body.line, wayOf(draft, readWriteLocks.keyspace, name), {
      holds: (owner) => body.holds[`r:${owner}`] !== undefined || body.holds[`w:${owner}`] !== undefined,
      admits: (member) => this.admits(member),
      grant: (member, leaseMs) => BigInt(this.grant(member, leaseMs).fence),
      obstacleMs: (member) => this.obstacleMs(member),
    })
  }

  get members(): ReadonlyArray<readonly [Member, MemberHold]> {
    return membersOf(this.draft.body.holds)
  }

  get lastFence(): bigint | undefined {
    return this.draft.body.fence
  }

  /** The owner that writes, if one does. Beside a writer there is at most its own read. */
  get writer(): Owner | undefined {
    const member = this.members.find(([each]) => modeOf(each) === 'w')
    return member && ownerOf(member[0])
  }

  find(member: Member): MemberHold | undefined {
    return this.draft.body.holds[member]
  }

  /** Whether the holds as they are leave room for the member. */
  admits(member: Member): boolean {
    if (modeOf(member) === 'w') return this.members.length === 0 && this.tiedTo(member) === undefined
    const { writer } = this
    if (writer !== undefined) return writer === ownerOf(member)
    return this.tiedTo(member) === undefined
  }

  /** The former holder that keeps the member out by its transaction, if there is one. */
  tiedTo(member: Member): Owner | undefined {
    const inTheWay = this.tied.find((tied) => modeOf(member) === 'w' || modeOf(tied) === 'w')
    return inTheWay && ownerOf(inTheWay)
  }

  /** For whom transactions keep it that are not holders any more. */
  get tied(): readonly Member[] {
    const { holds, ties } = this.draft.body
    return [...new Set(Object.values(ties))].filter((member) => !holds[member])
  }

  /** Keeps it at least until that transaction ends, if that member holds it. Returns whether it does. */
  tie(member: Member, tie: string): boolean {
    const held = this.find(member) !== undefined
    if (held) this.draft.body.ties[tie] = member
    return held
  }

  /** Begins a tenure. Each write has a new token; a read has that of the write before it. */
  grant(member: Member, leaseMs: number): MemberHold {
    const { body } = this.draft
    if (body.fence === undefined || modeOf(member) === 'w')
      body.fence = nextFence(body.fence, this.draft.firstFence)
    const hold = {
      fence: String(body.fence),
      count: 1,
      endsAt: this.now + leaseMs,
      since: Math.floor(this.now),
    }
    body.holds[member] = hold
    return hold
  }

  /** Ends the holds of these. Returns whether there were any. */
  drop(members: Iterable<Member>): boolean {
    const { holds } = this.draft.body
    let dropped = false
    for (const member of members) {
      if (!holds[member]) continue
      delete holds[member]
      this.line.settled(ownerOf(member))
      dropped = true
    }
    return dropped
  }

  /** Something may have changed: the line moves on as far as that lets it, and its head looks when it could enter. */
  passOn(): void {
    this.line.advance()
    this.line.callHead()
  }

  /** How long until the member could enter if no owner releases. */
  obstacleMs(member: Member): number {
    const everything = modeOf(member) === 'w' || this.writer === undefined
    const inTheWay = this.members.filter(([each]) => everything || modeOf(each) === 'w')
    const tiedMs = this.tiedTo(member) === undefined ? 0 : TIED_LOOK_MS
    return Math.max(tiedMs, ...inTheWay.map(([, { endsAt }]) => endsAt - this.now))
  }
}

function membersOf(holds: ReadWriteBody['holds']): ReadonlyArray<readonly [Member, MemberHold]> {
  return Object.entries(holds).flatMap(([key, hold]) => (isMember(key) ? [[key, hold] as const] : []))
}

function isMember(text: string): text is Member {
  return /^[rw]:[^:]+:\d+$/.test(text)
}
