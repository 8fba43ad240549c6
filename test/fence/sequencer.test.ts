import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { SequencerError } from '../../src/base/errors/sequencer-error.js'
import type { Owner } from '../../src/base/identity/owner.js'
import { InvalidArgumentError } from '../../src/index.js'
import {
  checkSequencer,
  decodeSequencer,
  encodeSequencer,
  type Sequencer,
} from '../../src/kinds/fencing/sequencer.js'
import { runsOr } from '../properties/runs.js'
import { fenceOf, freshName, freshOwner, stands } from './stand.js'

const sequencers: fc.Arbitrary<Sequencer> = fc.record({
  kind: fc.constantFrom('fenced lock', 'write lock'),
  name: fc.string({ unit: 'grapheme', minLength: 1 }),
  mode: fc.constantFrom('exclusive' as const, 'shared' as const),
  fence: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  owner: fc.tuple(fc.uuid(), fc.nat()).map(([client, number]): Owner => `${client}:${number}`),
})

describe('the text of a sequencer', () => {
  test('says what was put into it, in characters that may stand in a URL', () =>
    fc.assert(
      fc.property(sequencers, (sequencer) => {
        const text = encodeSequencer(sequencer)
        expect(text).toMatch(/^[\w-]+\.[\w-]+$/)
        expect(decodeSequencer(text)).toEqual(sequencer)
      }),
      runsOr(300),
    ))

  test('with any character changed, left out or put in is refused', () =>
    fc.assert(
      fc.property(
        sequencers,
        fc.nat(),
        fc.constantFrom('A', 'b', '7', '-', '.', ' ', ''),
        fc.nat(1),
        (sequencer, at, put, taken) => {
          const text = encodeSequencer(sequencer)
          const place = at % text.length
          const changed = text.slice(0, place) + put + text.slice(place + taken)
          fc.pre(changed !== text)
          expect(() => decodeSequencer(changed)).toThrow(SequencerError)
        },
      ),
      runsOr(500),
    ))

  test.each([undefined, null, 7, {}, '', '.', 'no sequencer', 'e30.e30'])('%j is none', (text) => {
    expect(() => decodeSequencer(text)).toThrow(
      expect.objectContaining({ name: 'SequencerError', code: 'SEQUENCER_INVALID' }),
    )
  })

  test('is not to be had without a token; the error says which kinds have one', () => {
    const own = { kind: 'lock', name: 'a', mode: 'exclusive', owner: freshOwner(), fence: undefined } as const
    expect(() => encodeSequencer(own)).toThrow(InvalidArgumentError)
    expect(() => encodeSequencer(own)).toThrow(/hold\.fence is undefined.*fencedLock/)
  })
})

describe.each(stands())('checking a sequencer ($where)', ({ stand }) => {
  const { fenced } = stand.session()
  const resource = stand.session().fenced
  afterAll(() => stand.close())

  const check = (text: unknown): Promise<Sequencer> =>
    checkSequencer(text, (kind) => (kind === 'fenced lock' ? resource : undefined))
  const take = async (name: string, owner = freshOwner()): Promise<Sequencer> => {
    const reply = await fenced.acquire({ name, owner, heldBefore: 0, leaseMs: 30_000 })
    return { kind: 'fenced lock', name, mode: 'exclusive', fence: fenceOf(reply), owner }
  }
  const release = ({ name, owner }: Sequencer) =>
    fenced.release({ name, owner, heldBefore: 1, repeated: false })
  const error = { name: 'StaleSequencerError', code: 'SEQUENCER_STALE' }
  const stale = (offered: bigint, seen: bigint | undefined) => ({ ...error, offered, seen })

  test('a later tenure of the same owner does not make it good again', async () => {
    const first = await take(freshName())
    await release(first)
    const second = await take(first.name, first.owner)
    await expect(check(encodeSequencer(first))).rejects.toMatchObject(stale(1n, 2n))
    expect(await check(encodeSequencer(second))).toEqual(second)
  })

  test('handed over it is stale', async () => {
    const held = await take(freshName())
    const request = { name: held.name, owner: freshOwner(), heldBefore: 0, leaseMs: 30_000 }
    const fence = fenceOf(await fenced.handOver({ ...request, from: held.owner }))
    await expect(check(encodeSequencer(held))).rejects.toMatchObject(stale(1n, 2n))
    const heir = { ...held, owner: request.owner, fence }
    expect(await check(encodeSequencer(heir))).toEqual(heir)
  })

  test('with a token that was never given it is invalid, whoever holds', async () => {
    const held = await take(freshName())
    const forged = encodeSequencer({ ...held, fence: 2n })
    await expect(check(forged)).rejects.toMatchObject({ code: 'SEQUENCER_INVALID', lockName: held.name })
    await release(held)
    await expect(check(forged)).rejects.toMatchObject({ code: 'SEQUENCER_INVALID' })
  })

  test.each([
    ['another owner', { owner: freshOwner() }, stale(1n, 1n)],
    ['a lock the store does not know', { name: freshName() }, stale(1n, undefined)],
    ['a kind it does not keep', { kind: 'read lock' }, { code: 'SEQUENCER_INVALID' }],
  ])('with the token of %s it is refused', async (_, changes, refusal) => {
    const forged = { ...(await take(freshName())), ...changes }
    await expect(check(encodeSequencer(forged))).rejects.toMatchObject(refusal)
  })
})
