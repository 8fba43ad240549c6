import { StoreError } from '../../base/errors/errors.js'
import type { News, Watch } from '../../port/lock-port.js'
import type { LeftPlaces } from '../line/left-places.js'
import { ownerOf, type Place } from '../line/place.js'
import { proofOf, type Words } from '../line/proof.js'
import { aMessage, type Told } from './line.js'
import { jsonIn } from './parts.js'
import type { Inbox, InboxListener, Message } from './rows.js'
import type { Keyspace } from './shape.js'

type Read = (told: Told | undefined) => void

/** Hands the messages to one client to its watches, by the row they are about. */
export class Letters implements InboxListener {
  readonly #readers = new Map<string, Set<Read>>()

  /**
   * @param leftPlaces are given back what is granted to them (rule W4)
   * @param words those that this client leaves in lines, by addresses
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

  /** Calls `read` with each message about that row, and without one when some may have been missed. */
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

/**
 * What a message says, as its text. A grant begins with its proof, of the word that the process has left in the line: whoever may send
 * messages could let a process in beside the holder without it.
 */
export function textOf(told: Told, word?: string): string {
  const text = JSON.stringify(told)
  return word === undefined ? text : withProof(text, word)
}

function withProof(text: string, word: string): string {
  return `${proofOf('sha256', word, text)} ${text}`
}

/** A grant that is not proven is a reason to look, no more. */
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

/** What a message means to those who wait, at places that are theirs; undefined where it is for others. */
export function newsIn(
  told: Told | undefined,
  isTheirs: (place: Place) => boolean = () => false,
): { readonly news: News | undefined } | undefined {
  // A server that took over may not know of the last places: all ask again.
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

/** Which row that is, in one text. */
export function addressOf(keyspace: Keyspace, name: string): string {
  return `${keyspace}:${name}`
}
