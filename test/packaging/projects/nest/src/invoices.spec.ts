import { Test, type TestingModule } from '@nestjs/testing'
import { Holdfast, LockTimeoutError } from 'holdfast'
import { Invoices, InvoicesModule } from './invoices'

describe('Invoices', () => {
  let app: TestingModule

  beforeEach(async () => {
    app = await Test.createTestingModule({ imports: [InvoicesModule] }).compile()
  })

  afterEach(() => jest.useRealTimers())
  afterEach(() => app.close())

  async function settlesOneAfterAnother() {
    let running = 0
    let most = 0
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      // The other has asked meanwhile.
      await app.get(Holdfast).lock(`${process.env.LOCK_NAME}:other`).isLocked()
      running -= 1
      return 1
    }
    const invoices = app.get(Invoices)
    expect(await Promise.all([invoices.settle('42', work), invoices.settle('42', work)])).toEqual([1, 1])
    expect(most).toBe(1)
  }

  it('settles one after another', settlesOneAfterAnother)

  it('does so under fake timers', async () => {
    // node-redis sends its commands by setImmediate.
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    await settlesOneAfterAnother()
    const lock = app.get(Holdfast).lock(`${process.env.LOCK_NAME}:held`)
    const hold = await lock.acquire()
    await expect(lock.acquire({ waitMs: 20 })).rejects.toBeInstanceOf(LockTimeoutError)
    await hold.release()
  })
})
