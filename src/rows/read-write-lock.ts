import type { Owner } from '../identity/owner.js'
import { clientOf, modeOf, ownerOf, type Place } from '../line/place.js'
import { Line, type LineBody, noLine, type Told } from './line.js'
import type { Draft } from './rows.js'
import type { Packed, Shape } from './shape.js'

/** Reading or writing. */
export type Side = 'r' | 'w'

/** One owner on one side, which holds or waits. */
export type Member = Place<Side>

export interface MemberHold {
  readonly fence: string
  count: number
  endsAt: number
}

/** A read-write lock as its row keeps it. */
export interface ReadWriteBody {
  readonly holds: Record<Member, MemberHold>
  /** The last token given. */
  fence: bigint | undefined
  readonly line: LineBody
}

type Rest = Partial<Pick<ReadWriteBody, 'holds' | 'line'>>

export const readWriteLocks: Shape<ReadWriteBody> = {
  keyspace: 'read-write',
  blank: () => ({ holds: {}, fence: undefined, line: noLine() }),
  pack: ({ holds, fence, line }): Packed => {
    const members = membersOf(holds)
    const writer = members.find(([member]) => modeOf(member) === 'w')
    const rest: Rest = {
      ...(members.length > 0 && { holds }),
      ...(line.places.length > 0 && { line }),
    }
    return {
      owner: writer && ownerOf(writer[0]),
      holds: members.reduce((sum, [, { count }]) => sum + count, 0),
      endsAt: members.length > 0 ? Math.max(...members.map(([, { endsAt }]) => endsAt)) : undefined,
      fence,
      waiting: Object.keys(line.processes),
      rest: Object.keys(rest).length > 0 ? JSON.stringify(rest) : undefined,
    }
  },
  unpack: ({ fence, rest }): ReadWriteBody => {
    const { holds = {}, line = noLine() }: Rest = rest === undefined ? {} : JSON.parse(rest)
    return { holds, fence, line }
  },
}

/** One lock while its row is changed, without the holds whose lease has ended. */
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
    const way = {
      now,
      reaches: (client: string) => draft.reaches(client),
      tell: (client: string, told: Told) =>
        draft.tell(client, { keyspace: readWriteLocks.keyspace, name, text: JSON.stringify(told) }),
    }
    this.line = new Line(body.line, way, {
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
    if (modeOf(member) === 'w') return this.members.length === 0
    const { writer } = this
    return writer === undefined || writer === ownerOf(member)
  }

  /** Begins a tenure. Each write has a new token; a read has that of the write before it. */
  grant(member: Member, leaseMs: number): MemberHold {
    const { body } = this.draft
    if (body.fence === undefined) body.fence = this.draft.firstFence
    else if (modeOf(member) === 'w') body.fence += 1n
    const hold = { fence: String(body.fence), count: 1, endsAt: this.now + leaseMs }
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
    return Math.max(0, ...inTheWay.map(([, { endsAt }]) => endsAt - this.now))
  }
}

function membersOf(holds: ReadWriteBody['holds']): ReadonlyArray<readonly [Member, MemberHold]> {
  return Object.entries(holds).flatMap(([key, hold]) => (isMember(key) ? [[key, hold] as const] : []))
}

function isMember(text: string): text is Member {
  return /^[rw]:[^:]+:\d+$/.test(text)
}
