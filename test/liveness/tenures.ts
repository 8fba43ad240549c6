import { expect } from 'vitest'
import { Latch } from '../../src/conformance/latch.js'
import type { Holdfast } from '../../src/index.js'
import { type Ways, ways } from './contended.js'

/** What one client has begun, and another is kept from meanwhile. */
export interface Tenure {
  /** Throws unless it goes on, for its holder alone. */
  check(rival: Holdfast): unknown
  /** Ends it; resolves when the rival has had its turn. */
  end(rival: Holdfast): Promise<unknown>
}

type Begin = (holder: Holdfast, name: string) => Promise<Tenure>

const held =
  ({ take, want }: Ways): Begin =>
  async (holder, name) => {
    const hold = await (await take(holder, name)).acquire()
    return {
      check: async (rival) => {
        hold.assertHeld()
        expect(await want(rival, name).tryAcquire()).toBeNull()
      },
      end: async (rival) => {
        const next = want(rival, name).acquire()
        await hold.release()
        await (await next).release()
      },
    }
  }

/** Every kind, held over what happens between its beginning and its end. */
export const tenures: Readonly<Record<string, Begin>> = {
  ...Object.fromEntries(Object.entries(ways).map(([kind, each]) => [kind, held(each)])),
  countDownLatch: async (holder, name) => {
    await holder.countDownLatch(name).trySetCount(1)
    return {
      check: async (rival) => expect(await rival.countDownLatch(name).count()).toBe(1),
      end: async (rival) => {
        const open = rival.countDownLatch(name).await()
        await holder.countDownLatch(name).countDown()
        await open
      },
    }
  },
  computeOnce: async (holder, name) => {
    const [begun, computed] = [new Latch(), new Latch()]
    const terms = { ttlMs: 60_000 }
    const compute = async (): Promise<string> => {
      begun.open()
      await computed.opened
      return 'once'
    }
    const value = holder.computeOnce(name, compute, terms)
    await begun.opened
    return {
      check: () => undefined,
      end: async (rival) => {
        const same = rival.computeOnce(name, () => Promise.resolve('twice'), terms)
        computed.open()
        expect(await Promise.all([value, same])).toEqual(['once', 'once'])
      },
    }
  },
  job: async (holder, name) => {
    const terms = { atLeastMs: 0, atMostMs: 300_000 }
    const [begun, finish] = [new Latch(), new Latch()]
    const running = holder.job(name, terms, async () => {
      begun.open()
      await finish.opened
    })
    await begun.opened
    return {
      check: async (rival) =>
        expect(await rival.job(name, terms, () => undefined)).toMatchObject({ ran: false }),
      end: async (rival) => {
        finish.open()
        expect(await running).toMatchObject({ ran: true })
        expect(await rival.job(name, terms, () => undefined)).toMatchObject({ ran: true })
      },
    }
  },
  leader: async (holder, name) => {
    let signal: AbortSignal | undefined
    const elected = await new Promise<ReturnType<Holdfast['leader']>>((resolve) => {
      const election = holder.leader(name, {
        onElected: (term) => {
          signal = term.signal
          resolve(election)
        },
      })
    })
    return {
      check: () => expect(signal?.aborted).toBe(false),
      end: async (rival) => {
        const next = new Promise<void>((resolve) => rival.leader(name, { onElected: () => resolve() }))
        await elected.stop()
        await next
      },
    }
  },
}
