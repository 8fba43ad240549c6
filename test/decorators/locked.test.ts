/** The decorator of the standard, `@locked`, on real sections. This folder is compiled by esbuild: see vitest.config.ts. */
import { expect, test, vi } from 'vitest'
import { currentHold, Holdfast, InvalidArgumentError, locked } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

const shared = new Holdfast(new MemoryStore())

class Invoices {
  readonly holdfast = new Holdfast(new MemoryStore())
  readonly steps: string[] = []
  readonly label = 'main'

  @locked((self: Invoices) => self.holdfast, 'invoice:{0.id}')
  async settle(invoice: { id: number }, step: string): Promise<string> {
    this.steps.push(`${step} begins`)
    await Promise.resolve()
    this.steps.push(`${step} ends`)
    return `${this.label} ${currentHold()?.name} ${invoice.id}`
  }

  @locked(
    (self: Invoices) => self.holdfast,
    (invoice: { id: number }) => `invoice:${invoice.id}`,
  )
  async settleAgain(invoice: { id: number }): Promise<string> {
    return await this.settle(invoice, 'inner')
  }

  @locked(shared, '{tag}:{0}:{1.ok}:{2}', { waitMs: 0 })
  static async all(_count: bigint, _state: { ok: boolean }, _text: string): Promise<string | undefined> {
    return currentHold()?.name
  }

  @locked(shared, 'one', { waitMs: 0 })
  static async one(work: () => Promise<unknown>): Promise<unknown> {
    return await work()
  }

  @locked(shared, 'once', { reentrant: false })
  static async once(work: () => Promise<unknown>): Promise<unknown> {
    return await work()
  }

  @locked(shared, 'member:{0.a.b}')
  static async member(_value: unknown): Promise<string | undefined> {
    return currentHold()?.name
  }
}

test('O1: calls with the same argument take turns, calls with different ones do not', async () => {
  const invoices = new Invoices()
  const [one, two] = [{ id: 1 }, { id: 2 }]
  await Promise.all([invoices.settle(one, 'a'), invoices.settle(one, 'b'), invoices.settle(two, 'c')])
  const of = (...steps: string[]): string[] => invoices.steps.filter((each) => steps.includes(each[0] ?? ''))
  expect(of('a', 'b')).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  expect(of('a', 'c')).toEqual(['a begins', 'c begins', 'a ends', 'c ends'])
})

test('O2: a decorated method that calls another one re-enters, and this, arguments and result are its own', async () => {
  const invoices = new Invoices()
  expect(await invoices.settleAgain({ id: 7 })).toBe('main invoice:7 7')
  expect(currentHold()).toBeUndefined()
  expect(await invoices.holdfast.lock('invoice:7').isLocked()).toBe(false)
})

test('the text of a name is filled from the arguments, other braces stay', async () =>
  expect(await Invoices.all(5n, { ok: false }, 'a{0}b$&')).toBe('{tag}:5:false:a{0}b$&'))

test('options count: waitMs 0 does not wait; and what the method throws is what the call throws', async () => {
  const trouble = new Error('of the method')
  await expect(Invoices.one(() => Promise.reject(trouble))).rejects.toBe(trouble)
  const inner = vi.fn()
  await Invoices.one(async () => {
    const other = { waitMs: 0, owner: shared.owner() }
    await expect(shared.lock('one').withLock(other, inner)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
  })
  expect(inner).not.toHaveBeenCalled()
})

test('reentrant: false counts: such a method does not get into itself', async () => {
  const inner = vi.fn()
  await expect(Invoices.once(() => Invoices.once(inner))).rejects.toMatchObject({ code: 'NOT_REENTRANT' })
  expect(inner).not.toHaveBeenCalled()
  expect(await Invoices.once(() => Invoices.one(async () => 'another lock'))).toBe('another lock')
})

class Query implements PromiseLike<string | undefined> {
  // biome-ignore lint/suspicious/noThenProperty: a thenable is the subject.
  readonly then: PromiseLike<string | undefined>['then'] = (onValue, onError) =>
    Promise.resolve(currentHold()?.name).then(onValue, onError)
}

test('faults B14: a query that a method returns, which begins when it is awaited, has the method’s hold', async () => {
  const method = (): unknown => new Query()
  const context: unknown = { kind: 'method' }
  const decorated: unknown = Reflect.apply(locked(shared, 'one'), undefined, [method, context])
  if (typeof decorated !== 'function') throw new TypeError('it decorates')
  expect(await Reflect.apply(decorated, undefined, [])).toBe('one')
})

const unnamed = [undefined, '', Number.NaN, {}].map((b) => ({ a: { b } }))
test.each([undefined, null, {}, { a: null }, ...unnamed])(
  'an argument that makes no name is refused, so that not all calls share one lock: %j',
  async (value) => {
    await expect(Invoices.member(value)).rejects.toThrow(/^\{0\.a\.b\} of a lock's name is /)
    await expect(Invoices.member(value)).rejects.toBeInstanceOf(InvalidArgumentError)
  },
)

test.each(['', '{0.}', '{0.a-b}', '{0[a]}', '{01x}', '\uD800'])(
  'a name that is not well formed is refused at once: %j',
  (name) => expect(() => locked(shared, name)).toThrow(InvalidArgumentError),
)

const wrong = [{ waitMS: 5 }, { waitMs: '5' }, { leaseMs: 0 }, { reentrant: 'no' }, 'none']
test.each(wrong)('options that are none are refused at once: %j', (options) =>
  expect(() => locked(shared, 'a', Object(options))).toThrow(InvalidArgumentError),
)

test('what is no client is refused at once', () =>
  expect(() => locked(Object({}), 'a')).toThrow(/^client is/))

test('with experimentalDecorators the error says what is wrong', () => {
  const legacy = (): unknown => Reflect.apply(locked(shared, 'a'), undefined, [{}, 'settle', {}])
  expect(legacy).toThrow(/without experimentalDecorators/)
})
