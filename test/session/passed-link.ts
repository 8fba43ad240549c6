import type { CellName, Cells, CellWatch, CellWrite } from '../../src/stores/session/cells.js'
import type { Entry, EntryWatch } from '../../src/stores/session/line.js'
import type { LeaseRequest, StandRequest } from '../../src/stores/session/link.js'
import type { LockName } from '../../src/stores/session/lock-name.js'
import { MemoryLink } from '../memory-session/link.js'

/** A link on which tests decide what becomes of each command and each message. */
export abstract class PassedLink extends MemoryLink {
  /** Has a command carried out, or not. */
  protected abstract pass<Reply>(what: string, send: () => Promise<Reply>): Promise<Reply>
  /** Delivers a message, or does not. */
  protected abstract deliver(what: 'entry' | 'own entry' | 'cell' | 'question', hear: () => void): void

  override begin(leastMs: number) {
    return this.pass('begin', () => super.begin(leastMs))
  }

  override keepAlive(session: string) {
    return this.pass('keepAlive', () => super.keepAlive(session))
  }

  override end(session: string): Promise<void> {
    return this.pass('end', () => super.end(session))
  }

  override stand(request: StandRequest) {
    return this.pass('stand', () => super.stand(request))
  }

  override read(lock: LockName) {
    return this.pass('read', () => super.read(lock))
  }

  override lease(request: LeaseRequest) {
    return this.pass('lease', () => super.lease(request))
  }

  override remove(lock: LockName, key: string) {
    return this.pass('remove', () => super.remove(lock, key))
  }

  override watch(lock: LockName, entry: Entry, onGone: (sure: boolean) => void): EntryWatch {
    let closed = false
    // Messages may overtake each other: that one entry has gone says nothing about another.
    const watch = super.watch(lock, entry, (sure) =>
      this.deliver('entry', () => {
        if (!closed) onGone(sure && this.ordered)
      }),
    )
    return {
      close: () => {
        closed = true
        watch.close()
      },
    }
  }

  /** Whether messages are delivered in the order in which they were sent. */
  protected get ordered(): boolean {
    return true
  }

  protected override gone(lock: LockName, key: string): void {
    this.deliver('own entry', () => super.gone(lock, key))
  }

  override ask(lock: LockName) {
    return this.pass('ask', () => super.ask(lock))
  }

  protected override asked(lock: LockName, key: string): void {
    this.deliver('question', () => super.asked(lock, key))
  }

  override get cells(): Cells {
    const { cells } = this.ensemble
    const direct = super.cells
    return {
      read: (cell) => this.pass('read cell', () => direct.read(cell)),
      readBeside: (cell, lock) => this.pass('read cell', () => direct.readBeside(cell, lock)),
      write: (request: CellWrite) => this.pass('write cell', () => direct.write(request)),
      watch: (cell: CellName, onChange: () => void): CellWatch => {
        let closed = false
        const watch = cells.watch(cell, () =>
          this.deliver('cell', () => {
            if (!closed) onChange()
          }),
        )
        return {
          confirmed: this.pass('watch cell', async () => undefined),
          close: () => {
            closed = true
            watch.close()
          },
        }
      },
      now: () => direct.now(),
    }
  }
}
