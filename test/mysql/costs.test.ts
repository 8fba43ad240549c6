/** How many statements it costs. */
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { mysql } from '../../src/stores/mysql/index.js'
import { until } from '../servers/until.js'
import { onDatabases } from '../setup/databases.js'
import { libraries } from './clients.js'

await onDatabases(['MariaDB', 'MySQL'], (database) => {
  /** A client that has taken a lock before, and the first words of what it sends from then on. */
  const clientWithCount = async (
    options: ConstructorParameters<typeof Holdfast>[1] = {},
  ): Promise<{ holdfast: Holdfast; sent: string[] }> => {
    const sent: string[] = []
    const connect = async () => {
      const connection = await libraries.mysql2(database().address)
      const execute = connection.execute.bind(connection)
      connection.execute = (options, values) => {
        sent.push(options.sql.trim().split(' ', 1).join())
        return execute(options, values)
      }
      return connection
    }
    const holdfast = new Holdfast(mysql({ connect, createTable: true }), options)
    onTestFinished(() => holdfast.close())
    await holdfast.lock(randomUUID()).withLock(() => undefined)
    sent.length = 0
    return { holdfast, sent }
  }

  test('a lock that nobody else wants: one statement to take it, one to free it', async () => {
    const { holdfast, sent } = await clientWithCount()
    await holdfast.lock('alone').withLock(() => undefined)
    expect(sent.splice(0)).toEqual(['INSERT', 'UPDATE'])
    const hold = await holdfast.lock('alone').tryAcquire()
    expect(sent.splice(0)).toEqual(['INSERT'])
    await hold?.release()
    expect(sent.splice(0)).toEqual(['UPDATE'])
    await holdfast.fencedLock('alone').withLock(() => undefined)
    await holdfast.spinLock('alone').withLock(() => undefined)
    expect(sent.splice(0)).toEqual(['INSERT', 'UPDATE', 'INSERT', 'UPDATE'])
  })

  test('a process that waits for another: it only reads, seldom, however many of its calls wait', async () => {
    // However slow the machine, its calls pass the lock on to the last of them.
    const [one, other] = [await clientWithCount(), await clientWithCount({ handOverSliceMs: Infinity })]
    const hold = await one.holdfast.lock('row').acquire()
    const lock = other.holdfast.lock('row')
    const waiting = Array.from({ length: 25 }, () => lock.withLock(() => undefined))
    await until(() => other.sent.length > 16, { what: 'it has asked so often' })
    const [first, ...later] = other.sent.splice(0)
    expect(first).toBe('INSERT')
    expect(new Set(later)).toEqual(new Set(['SELECT']))
    // By now it pauses for 100 to 200 ms each time.
    const from = performance.now()
    await until(() => other.sent.length >= 10, { what: 'ten times more' })
    expect(performance.now() - from).toBeGreaterThan(800)
    await hold.release()
    await Promise.all(waiting)
    const writes = other.sent.filter((word) => word !== 'SELECT')
    expect(writes).toEqual(['UPDATE', 'UPDATE'])
    other.sent.length = 0
    // It is as before for a lock that was granted.
    await lock.withLock(() => undefined)
    expect(other.sent).toEqual(['INSERT', 'UPDATE'])
  })

  test('renewals of many locks travel together', async () => {
    const { holdfast, sent } = await clientWithCount({ watchdogMs: 15_000 })
    const holds = await Promise.all(
      Array.from({ length: 150 }, (_, index) => holdfast.lock(`renewed ${index}`).acquire()),
    )
    sent.length = 0
    await until(() => sent.length > 0, { what: 'a renewal' })
    expect(sent.length).toBeLessThan(20)
    await Promise.all(holds.map((hold) => hold.release()))
  })
})
