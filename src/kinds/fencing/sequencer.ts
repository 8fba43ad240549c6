import { createHash } from 'node:crypto'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { quoted } from '../../base/errors/holdfast-error.js'
import { SequencerError, StaleSequencerError } from '../../base/errors/sequencer-error.js'
import { fieldsOf, textOf } from '../../base/identity/fields.js'
import { isOwner, type Owner } from '../../base/identity/owner.js'
import type { FencedPort } from '../../port/kind-ports.js'
import { checkFence, type Fence } from './fence.js'

/** How the lock is held: alone, or together with others. */
export type SequencerMode = 'exclusive' | 'shared'

/** The content of a sequencer (Chubby's term): the lock, its owner, its mode and its token. */
export interface Sequencer {
  /** The kind of lock, by the name of its port. */
  readonly kind: string
  /** The lock's name, without the client's `keyPrefix`. */
  readonly name: string
  readonly mode: SequencerMode
  readonly fence: bigint
  /** The holder as the store records it. */
  readonly owner: Owner
}

/** The first field of the text, so that later layouts differ from this one. */
const LAYOUT = 1
const CHECKSUM_BYTES = 9

/**
 * The text that a holder passes on: letters, digits, `-`, `_` and one dot.
 *
 * @throws `InvalidArgumentError` if the hold has no token.
 */
export function encodeSequencer(sequencer: Omit<Sequencer, 'fence'> & { readonly fence: Fence }): string {
  const { kind, name, mode, owner, fence } = sequencer
  if (fence === undefined) {
    throw new InvalidArgumentError(
      'hold.fence',
      fence,
      'a hold with a fencing token, of holdfast.fencedLock(name) or readWriteLock(name); other kinds have no tokens',
      { lockName: name },
    )
  }
  const payload = textOf([LAYOUT, kind, name, mode, String(checkFence(fence)), owner])
  return `${payload}.${checksumOf(payload)}`
}

/** @throws {@link SequencerError} if the text is not a sequencer, or was changed. */
export function decodeSequencer(text: unknown): Sequencer {
  if (typeof text !== 'string') throw new SequencerError(`it is of type ${typeof text}, not a string`)
  const [payload = '', checksum, ...rest] = text.split('.')
  if (checksum === undefined || rest.length > 0 || checksum !== checksumOf(payload))
    throw new SequencerError('its checksum is wrong, so it is damaged or was changed')
  const [layout, kind, name, mode, fence, owner, ...more] = fieldsOf(payload)
  if (
    layout !== LAYOUT ||
    more.length > 0 ||
    typeof kind !== 'string' ||
    typeof name !== 'string' ||
    (mode !== 'exclusive' && mode !== 'shared') ||
    typeof fence !== 'string' ||
    !/^[1-9]\d{0,18}$/.test(fence) ||
    typeof owner !== 'string' ||
    !isOwner(owner)
  ) {
    throw new SequencerError('this version of Holdfast cannot read its layout')
  }
  return { kind, name, mode, fence: BigInt(fence), owner }
}

/**
 * Returns the sequencer's content if the store confirms that the same tenure still holds the lock. The answer describes the moment
 * at which the store answered: a resource that must refuse late writes also remembers the greatest token.
 *
 * @param portOf the port of a kind, if the store supports it.
 * @throws {@link SequencerError} if the text is not a sequencer, or its token was never minted.
 * @throws {@link StaleSequencerError} if the tenure is over.
 */
export async function checkSequencer(
  text: unknown,
  portOf: (kind: string) => FencedPort | undefined,
): Promise<Sequencer> {
  const sequencer = decodeSequencer(text)
  const { kind, name, owner, fence } = sequencer
  const port = portOf(kind)
  if (!port) throw new SequencerError(`this client’s store has no locks of kind ${quoted(kind)}`, name)
  const { held, lastFence } = await port.readTenure(name, owner)
  if (held && lastFence === fence) return sequencer
  if (lastFence !== undefined && fence > lastFence)
    throw new SequencerError(`token ${fence} was never minted; the last one is ${lastFence}`, name)
  throw new StaleSequencerError(name, fence, lastFence)
}

/** Detects damage and accidental changes; not a signature, because the store confirms the content anyway. */
function checksumOf(payload: string): string {
  return createHash('sha256')
    .update(`holdfast sequencer ${payload}`)
    .digest()
    .subarray(0, CHECKSUM_BYTES)
    .toString('base64url')
}
