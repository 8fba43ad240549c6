/** A token for each tenure: what is minted when, and that no fault makes one come twice or go back. */
import { afterAll, describe, expect, test } from 'vitest'
import type { AcquireRequest } from '../../src/port/lock-port.js'
import { fenceOf, freshName, freshOwner, stands } from './stand.js'

describe.each(stands())('tokens ($where)', ({ stand }) => {
  const { fenced } = stand.session()
  const other = stand.session()
  afterAll(() => stand.close())

  const ask = (name = freshName()) => ({ name, owner: freshOwner(), heldBefore: 0, leaseMs: 30_000 })
  const release = ({ name, owner, heldBefore }: AcquireRequest) =>
    fenced.release({ name, owner, heldBefore: heldBefore + 1, repeated: false })

  test('begin at 1 and grow by one with each tenure, whichever client has it', async () => {
    const name = freshName()
    for (const [index, { fenced: port }] of [{ fenced }, other, { fenced }, other].entries()) {
      const request = ask(name)
      expect(fenceOf(await port.acquire(request))).toBe(BigInt(index + 1))
      expect(await release(request)).toBe('released')
    }
  })

  test('X1: an acquire that comes twice has one token', async () => {
    const request = ask()
    expect(fenceOf(await fenced.acquire(request))).toBe(1n)
    expect(fenceOf(await fenced.acquire(request))).toBe(1n)
    const nested = { ...request, heldBefore: 1 }
    expect(fenceOf(await fenced.acquire(nested))).toBe(1n)
    expect(fenceOf(await fenced.acquire(nested))).toBe(1n)
    expect((await fenced.inspect(request.name)).owners).toMatchObject([{ owner: request.owner, holds: 2 }])
  })

  test('are minted anew in a hand-over, which may come twice', async () => {
    const request = ask()
    const heir = { ...ask(request.name), from: request.owner }
    await fenced.acquire(request)
    expect(fenceOf(await fenced.handOver(heir))).toBe(2n)
    expect(fenceOf(await fenced.handOver(heir))).toBe(2n)
    expect((await fenced.inspect(request.name)).owners).toMatchObject([{ owner: heir.owner, holds: 1 }])
    expect(await fenced.handOver({ ...ask(request.name), from: request.owner })).toEqual({ outcome: 'lost' })
    expect(await fenced.handOver({ ...ask(), from: request.owner })).toEqual({ outcome: 'lost' })
    expect(fenceOf(await fenced.acquire({ ...heir, heldBefore: 1 }))).toBe(2n)
  })

  test('are not spent on attempts that fail, nor on an acquire of somebody who has lost the lock', async () => {
    const request = ask()
    await fenced.acquire(request)
    expect(await fenced.acquire(ask(request.name))).toMatchObject({ outcome: 'busy', holder: request.owner })
    expect(await fenced.acquire({ ...ask(request.name), heldBefore: 1 })).toMatchObject({ outcome: 'lost' })
    await release(request)
    expect(await fenced.acquire({ ...ask(request.name), heldBefore: 1 })).toEqual({ outcome: 'lost' })
    expect(fenceOf(await fenced.acquire(ask(request.name)))).toBe(2n)
  })
})
