import { quoted } from '../../base/errors/holdfast-error.js'
import { SequencerError, StaleSequencerError } from '../../base/errors/sequencer-error.js'
import type { FencedPort } from '../../port/kind-ports.js'
import { decodeSequencer, type Sequencer } from './sequencer.js'

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
