import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import type { Store } from '../../src/port/store.js'
import type { CellName } from '../../src/stores/session/cells.js'
import { keyOf } from '../../src/stores/session/key.js'
import type { SessionLink } from '../../src/stores/session/link.js'
import { eventually } from '../setup/eventually.js'

interface CellsTerms {
  /** The link of one more client, until the end of the test. */
  readonly linked: () => SessionLink
  /** A store in which nobody has been yet. */
  readonly store: () => Store
}

const forever = { keepMs: Number.POSITIVE_INFINITY } as const

/** Values of a server with sessions: written only as they were seen, and only while somebody has a lock; told when they change. */
export function cellsCases({ linked, store }: CellsTerms): void {
  const cellOf = (name: string): CellName => ({ space: 'value', name: `${name} ${randomUUID()}` })

  test('a value is written only if nobody else has meanwhile, whatever it is called', async () => {
    const { cells } = linked()
    const wanted = ['a', 'a/b', 'a%2Fb', 'nul\0', '..', '\u{1f512}'].map(cellOf)
    for (const cell of wanted) {
      expect(await cells.read(cell), cell.name).toEqual({ text: undefined, version: 0n })
      const first = await cells.write({ cell, version: 0n, text: `first ${cell.name}`, ...forever })
      expect(await cells.write({ cell, version: 0n, text: 'again', ...forever })).toBeUndefined()
      const once = { cell, version: first ?? 0n, ...forever }
      const second = await cells.write({ ...once, text: `second ${cell.name}` })
      expect(await cells.write({ ...once, text: 'late' })).toBeUndefined()
      expect(await cells.read(cell)).toEqual({ text: `second ${cell.name}`, version: second })
    }
    for (const cell of wanted) {
      const { text, version } = await cells.read(cell)
      expect(text).toBe(`second ${cell.name}`)
      expect(await cells.write({ cell, version, text: undefined, ...forever })).toBeDefined()
      expect(await cells.read(cell)).toEqual({ text: undefined, version: 0n })
    }
  })

  test('a version comes once: not again with a value that was removed, made anew, and written as often', async () => {
    const { cells } = linked()
    const cell = cellOf('anew')
    const before = (await cells.write({ cell, version: 0n, text: 'of before', ...forever })) ?? 0n
    await cells.write({ cell, version: before, text: undefined, ...forever })
    const now = await cells.write({ cell, version: 0n, text: 'of now', ...forever })
    expect(now).not.toBe(before)
    expect(await cells.write({ cell, version: before, text: 'late', ...forever })).toBeUndefined()
    expect(await cells.write({ cell, version: before, text: undefined, ...forever })).toBeUndefined()
    expect(await cells.read(cell)).toEqual({ text: 'of now', version: now })
  })

  test('of those who write at once one succeeds, and what is written whatever was there is there', async () => {
    const all = [linked(), linked(), linked()]
    const cell = cellOf('raced')
    const writeAll = (version: bigint | undefined) =>
      Promise.all(all.map(({ cells }, index) => cells.write({ cell, version, text: `${index}`, ...forever })))
    for (let round = 0; round < 20; round += 1) {
      const [{ version } = { version: 0n }] = await Promise.all(all.map(({ cells }) => cells.read(cell)))
      expect((await writeAll(version)).filter((each) => each !== undefined)).toHaveLength(1)
    }
    const always = await writeAll(undefined)
    const { text, version } = await linked().cells.read(cell)
    expect(new Set(always).size).toBe(3)
    expect(always[Number(text)]).toBe(version)
  })

  test('a value is written while an entry stands, and not when that has gone', async () => {
    const link = linked()
    const { session } = await link.begin(30_000)
    const [lock, key] = [
      { keyspace: 'lock', name: `guarding ${randomUUID()}` } as const,
      keyOf(`${randomUUID()}:1`, 1),
    ]
    await link.stand({ mode: 'lock', ifFree: false, lock, session, key })
    const request = { cell: cellOf('guarded'), version: undefined, ...forever, whileStands: { lock, key } }
    expect(await link.cells.write({ ...request, text: 'in time' })).toBeDefined()
    const beside = await link.cells.readBeside(request.cell, lock)
    expect([beside.cell.text, beside.line.map((entry) => entry.key)]).toEqual(['in time', [key]])
    await linked().remove(lock, key)
    expect(await link.cells.write({ ...request, text: 'late' })).toBeUndefined()
    expect((await link.cells.read(request.cell)).text).toBe('in time')
    await link.end(session)
  })

  test('every change is told from the confirmation on, until the watch is closed', async () => {
    const [link, other] = [linked(), linked()]
    const cell = cellOf('watched')
    let told = 0
    const watch = link.cells.watch(cell, () => {
      told += 1
    })
    await watch.confirmed
    for (const text of ['one', 'two', undefined, 'three']) {
      const before = told
      await other.cells.write({ cell, version: undefined, text, ...forever })
      await eventually(() => told > before)
    }
    watch.close()
    const before = told
    const control = other.cells.watch(cell, () => {
      told += 100
    })
    await control.confirmed
    await link.cells.write({ cell, version: undefined, text: 'four', ...forever })
    await eventually(() => told >= before + 100)
    expect(told).toBe(before + 100)
    control.close()
  })

  test('guarded values refuse a smaller token, and the names of values are no names of locks', async () => {
    await using holdfast = new Holdfast(store())
    const value = holdfast.guardedValue('balance')
    await value.set('seven', 7n)
    await expect(value.set('six', 6n)).rejects.toMatchObject({ code: 'STALE_FENCE' })
    expect(await value.get()).toMatchObject({ value: 'seven', fence: 7n })
    await holdfast.semaphore('permits').trySetPermits(1)
    const names = []
    for await (const { name } of holdfast.list('*')) names.push(name)
    expect(names).toEqual([])
  })
}
