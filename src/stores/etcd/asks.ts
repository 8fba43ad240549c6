import type { TimerHandle } from '../../base/time/schedule.js'
import type { Entry } from '../session/line.js'
import type { LinkListener } from '../session/link.js'
import { type LockName, textOf } from '../session/lock-name.js'
import type { KeyEvent } from './client/replies.js'
import { type EtcdEntry, isEtcdEntry } from './entry.js'
import type { EtcdParts } from './parts.js'

/** How long a line is listened to after this client has last kept its lock: what keeps one does so again and again, with pauses. */
const LISTENS_MS = 60_000
/** … and how often it may be told of others meanwhile while it keeps nothing. */
const MOST_IN_VAIN = 8

/** A line that is listened to. */
interface Heard {
  /** Whether the server tells what happens there. */
  inForce: boolean
  vain: number
  /** The entry that this client keeps, or has kept last. */
  kept: EtcdEntry
  /** What it last wrote there itself, as the server has told. */
  written: Pick<KeyEvent, 'createRevision' | 'lease'> | undefined
  alarm: TimerHandle
  readonly stop: () => void
}

/**
 * Hears of others that want a lock which this client keeps: by a watch of its line, which stays for a while, so that a section costs none. A
 * client that never finds a line empty listens to none.
 */
export class Asks {
  readonly #heard = new Map<string, Heard>()

  constructor(
    private readonly parts: EtcdParts,
    private readonly listener: LinkListener,
  ) {}

  hears(lock: LockName): boolean {
    return this.#heard.get(textOf(lock))?.inForce === true
  }

  /** Writes that entry once more as it is, of which its client hears; so nothing is left behind. */
  async ask(lock: LockName, entry: Entry): Promise<void> {
    if (!isEtcdEntry(entry)) return
    const { stored: key, order: createRevision } = entry
    const touched = { when: [{ key, createRevision }], ifSo: [{ touch: key }] }
    await this.parts.client.txn(touched, { command: 'Txn', lockName: lock.name })
  }

  /** That entry stands there alone, and its client may keep the lock. */
  keeps(lock: LockName, kept: EtcdEntry): void {
    const { schedule } = this.parts.settings
    const heard = this.#heard.get(textOf(lock))
    if (heard) {
      heard.kept = kept
      heard.vain = 0
      schedule.move(heard.alarm, schedule.clock.now() + LISTENS_MS)
    } else this.#listen(lock, kept)
  }

  close(): void {
    for (const [id, heard] of this.#heard) this.#forget(id, heard)
  }

  #listen(lock: LockName, kept: EtcdEntry): void {
    const { watches, names } = this.parts
    const heard: Heard = {
      inForce: false,
      vain: 0,
      kept,
      written: undefined,
      alarm: this.#restLater(lock),
      stop: watches.watch(names.line(lock), {
        begun: () => {
          heard.inForce = true
        },
        changed: (events) => {
          for (const event of events) if (this.#isQuestion(lock, heard, event)) this.#asked(lock, heard)
        },
        // Somebody may ask unheard.
        broken: () => {
          heard.inForce = false
          this.listener.asked(lock)
        },
      }),
    }
    this.#heard.set(textOf(lock), heard)
  }

  /** Whether it says that another client has come, has asked, or has freed the lock by force. */
  #isQuestion(lock: LockName, heard: Heard, event: KeyEvent): boolean {
    const { names, settings } = this.parts
    const { key, deleted, revision, createRevision, lease } = event
    const slot = names.slotIn(lock, key)
    if (slot === undefined) return false
    if (!slot.startsWith(`${settings.clientId}-`)) return !deleted && createRevision === revision
    const { kept, written } = heard
    if (deleted) return revision > kept.order && kept.stored.equals(key) && this.#stands(kept)
    heard.written = event
    // Whenever this client itself writes an entry anew it is for another lease.
    return (
      createRevision !== revision && createRevision === written?.createRevision && lease === written.lease
    )
  }

  #asked(lock: LockName, heard: Heard): void {
    // Also where nothing is kept: the answer that it stands there may be on its way.
    this.listener.asked(lock)
    if (this.#stands(heard.kept)) return
    heard.vain += 1
    if (heard.vain > MOST_IN_VAIN) this.#forget(textOf(lock), heard)
  }

  /** Whether it is there, as far as this client knows. */
  #stands(entry: EtcdEntry): boolean {
    return this.parts.own.find(entry.key) === entry
  }

  #restLater(lock: LockName): TimerHandle {
    const { schedule } = this.parts.settings
    return schedule.at(schedule.clock.now() + LISTENS_MS, () => {
      const heard = this.#heard.get(textOf(lock))
      if (!heard) return
      if (this.#stands(heard.kept)) heard.alarm = this.#restLater(lock)
      else this.#forget(textOf(lock), heard)
    })
  }

  #forget(id: string, heard: Heard): void {
    this.#heard.delete(id)
    this.parts.settings.schedule.cancel(heard.alarm)
    heard.stop()
  }
}
