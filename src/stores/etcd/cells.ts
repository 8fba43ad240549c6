import { machineTime } from '../../base/time/machine-time.js'
import { withDeadline } from '../../base/time/with-deadline.js'
import { type About, timeoutOf } from '../../port/failure.js'
import type { Cell, CellName, Cells, CellWatch, CellWrite } from '../session/cells.js'
import type { Line } from '../session/line.js'
import type { LockName } from '../session/lock-name.js'
import type { KeyValue } from './client/replies.js'
import type { Condition } from './client/requests.js'
import type { EtcdParts } from './parts.js'

/** Values in etcd: keys, whose versions are their revisions. */
export class EtcdCells implements Cells {
  constructor(private readonly parts: EtcdParts) {}

  async read(cell: CellName): Promise<Cell> {
    const { client, names } = this.parts
    const { entries } = await client.range({ key: names.cell(cell) }, aboutOf('Range', cell))
    return cellIn(entries)
  }

  async readBeside(cell: CellName, lock: LockName): Promise<{ readonly cell: Cell; readonly line: Line }> {
    const { client, names } = this.parts
    const both = [{ range: { key: names.cell(cell) } }, { range: names.line(lock) }]
    const reply = await client.txn({ when: [], ifSo: both }, aboutOf('Txn', cell))
    const [found, entries] = reply.replies.map(rangeIn)
    return { cell: cellIn(found ?? []), line: names.lineIn(lock, entries ?? [], reply.revision) }
  }

  async write({ cell, version, text, keepMs, whileStands }: CellWrite): Promise<bigint | undefined> {
    const { client, names, own, leases } = this.parts
    const key = names.cell(cell)
    const about = aboutOf('Txn', cell)
    const when: Condition[] = []
    if (version !== undefined) when.push(version === 0n ? { absent: { key } } : { key, modRevision: version })
    if (whileStands) {
      const standing = own.find(whileStands.key)
      if (!standing) return undefined
      when.push({ key: standing.stored, createRevision: standing.order })
    }
    const lease = text === undefined || keepMs === Infinity ? 0n : await leases.grant(keepMs, about)
    const change =
      text === undefined ? { remove: { key } } : { put: { key, value: Buffer.from(text), lease } }
    const { succeeded, revision } = await client.txn({ when, ifSo: [change] }, about)
    if (!succeeded) return undefined
    return text === undefined ? 0n : revision
  }

  watch(cell: CellName, onChange: () => void): CellWatch {
    const { watches, names, settings } = this.parts
    const { schedule, commandTimeoutMs } = settings
    let begun = false
    let confirm = (_: true): void => undefined
    const confirmed = new Promise<true>((resolve) => {
      confirm = resolve
    })
    const stop = watches.watch(
      { key: names.cell(cell) },
      {
        begun: () => {
          // Again, after a break: something may have happened meanwhile.
          if (begun) onChange()
          begun = true
          confirm(true)
        },
        changed: () => onChange(),
      },
    )
    const inTime = withDeadline(schedule, commandTimeoutMs, confirmed).then((known) => {
      if (!known) throw timeoutOf(aboutOf('Watch', cell), commandTimeoutMs, 'etcd')
    })
    const close = (): void => {
      stop()
      confirm(true)
    }
    return { confirmed: inTime, close }
  }

  /** etcd tells no time. */
  now(): number {
    return machineTime.wallMs()
  }
}

function aboutOf(command: string, { name }: CellName): About {
  return { command, lockName: name }
}

/** The keys that a request inside a transaction has found. */
export function rangeIn(reply: unknown): readonly KeyValue[] {
  return Array.isArray(reply) ? reply : []
}

function cellIn([found]: readonly KeyValue[]): Cell {
  return found
    ? { text: found.value.toString(), version: found.modRevision }
    : { text: undefined, version: 0n }
}
