import type { FencedPort } from './fenced-port.js'
import { decodeSequencer, type Sequencer } from './sequencer.js'
import { SequencerError, StaleSequencerError } from './sequencer-error.js'

/**
 * What the sequencer says, if the store confirms that this very tenure still holds the lock. That is so at the moment of the
 * store's answer, not for ever after: a resource that must not be written late remembers the greatest token beside.
 *
 * @param portOf the port of that kind, where it is known.
 * @throws {@link SequencerError} if the text is no sequencer, or its token was never given.
 * @throws {@link StaleSequencerError} if the tenure is over.
 */
export async function checkSequencer(
  text: unknown,
  portOf: (kind: string) => FencedPort | undefined,
): Promise<Sequencer> {
  const sequencer = decodeSequencer(text)
  const { kind, name, owner, fence } = sequencer
  const port = portOf(kind)
  if (!port) throw new SequencerError(`this client’s store has no locks of kind "${kind}"`, name)
  const { held, lastFence } = await port.readTenure(name, owner)
  if (held && lastFence === fence) return sequencer
  if (lastFence !== undefined && fence > lastFence)
    throw new SequencerError(`token ${fence} was never minted; the last one is ${lastFence}`, name)
  throw new StaleSequencerError(name, fence, lastFence)
}
