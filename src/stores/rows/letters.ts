import { StoreError } from '../../base/errors/errors.js'
import type { News, Watch } from '../../port/lock-port.js'
import type { LeftPlaces } from '../line/left-places.js'
import { ownerOf, type Place } from '../line/place.js'
import { proofOf, type Words } from '../line/proof.js'
import type { Way } from './line.js'
import { jsonIn } from './parts.js'
import type { Draft, Inbox, InboxListener, Message } from './rows.js'
import type { Keyspace } from './shape.js'
import { aMessage, type Told } from './told.js'

type Read = (told: Told | undefined) => void

/** Passes a client's messages to its watches, by row. */
export class Letters implements InboxListener {
  readonly #readers = new Map<string, Set<Read>>()

  /**
   * @param leftPlaces places that calls have left; they give back late grants (rule W4)
   * @param words the words that this client leaves in lines, by address
   */
  constructor(
    private readonly leftPlaces: LeftPlaces,
    private readonly words: Words,
  ) {}

  get waits(): boolean {
    return this.#readers.size > 0
  }

  message({ keyspace, name, text }: Message): void {
    const address = addressOf(keyspace, name)
    const told = toldIn(text, name, () => this.words.of(address))
    for (const read of [...(this.#readers.get(address) ?? [])]) read(told)
    if ('letIn' in told) this.leftPlaces.granted(told.letIn, address)
  }

  missed(): void {
    for (const readers of [...this.#readers.values()]) for (const read of [...readers]) read(undefined)
  }

  /** Whether this client listens for messages about that row. */
  awaits(keyspace: Keyspace, name: string): boolean {
    return this.#readers.has(addressOf(keyspace, name))
  }

  /** Calls `read` with each message about that row, and without one when the client may have missed some. */
  watch(inbox: Inbox, keyspace: Keyspace, name: string, read: Read, onClose?: () => void): Watch {
    const address = addressOf(keyspace, name)
    const readers = this.#readers.get(address) ?? new Set()
    // One function may watch twice: each watch counts for itself.
    const own: Read = (told) => read(told)
    readers.add(own)
    this.#readers.set(address, readers)
    return {
      confirmed: inbox.opened(),
      get inForce() {
        return inbox.open
      },
      doubt: () => inbox.doubt(),
      close: () => {
        if (!readers.delete(own)) return
        if (readers.size === 0) this.#readers.delete(address)
        onClose?.()
      },
    }
  }
}

/** The way from a change of that row to the clients. */
export function wayOf(draft: Draft<unknown>, keyspace: Keyspace, name: string): Way {
  return {
    now: draft.now,
    reaches: (client) => draft.reaches(client),
    tell: (client, told, word) => draft.tell(client, { keyspace, name, text: textOf(told, word) }),
  }
}

/**
 * The text of a message. A grant begins with a proof made of the word that the process left in the line. Without it, whoever may send
 * messages could let a process in beside the holder.
 */
export function textOf(told: Told, word?: string): string {
  const text = JSON.stringify(told)
  return word === undefined ? text : withProof(text, word)
}

function withProof(text: string, word: string): string {
  return `${proofOf('sha256', word, text)} ${text}`
}

/** Reads a message. A grant without proof is only a reason to look. */
function toldIn(text: string, lockName: string, wordOf: () => string): Told {
  try {
    const json = text.slice(text.indexOf('{'))
    const told = jsonIn(json, 'a message', aMessage)
    return !('letIn' in told) || text === withProof(json, wordOf()) ? told : { lookInMs: 0 }
  } catch (cause) {
    const hint = 'Another program has sent it: Holdfast ignores it.'
    throw new StoreError('unreadable', 'message', { lockName, cause, transient: false, hint })
  }
}

/** What a message means to the waiters at these places; undefined if it is for others. */
export function newsIn(
  told: Told | undefined,
  isTheirs: (place: Place) => boolean = () => false,
): { readonly news: News | undefined } | undefined {
  // A server that took over may lack the newest places: all ask again.
  if (!told) return { news: { placesGone: true } }
  if ('asked' in told) return undefined
  if ('became' in told) {
    const { became, turnOf } = told
    if (became === 'open') return { news: { room: Infinity } }
    return { news: turnOf === undefined ? undefined : { turnOf } }
  }
  if (!('letIn' in told)) return { news: told }
  return isTheirs(told.letIn) ? { news: { grantedTo: ownerOf(told.letIn) } } : undefined
}

/** The row's keyspace and name in one text. */
export function addressOf(keyspace: Keyspace, name: string): string {
  return `${keyspace}:${name}`
}
