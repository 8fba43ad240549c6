import { describe, expect, test } from 'vitest'
import { Mutex } from '../../src/core/queue/mutex.js'
import { settle } from './scripted-port.js'

describe('Mutex', () => {
  test('one at a time, in the order they asked', async () => {
    const turns = new Mutex()
    const log: string[] = []
    const step = async (name: string): Promise<void> => {
      await turns.take()
      log.push(`${name} begins`)
      await settle()
      log.push(`${name} ends`)
      turns.end()
    }
    await Promise.all([step('a'), step('b'), step('c')])
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  test('who goes first waits for nobody but whose turn it is, and those that came before it by the same', async () => {
    const turns = new Mutex()
    const log: string[] = []
    await turns.take()
    const join = (name: string, turn: Promise<unknown>): Promise<number> => turn.then(() => log.push(name))
    const joined = [
      join('a', turns.take()),
      join('b', turns.takeFirst()),
      join('c', turns.take()),
      join('d', turns.takeFirst()),
    ]
    for (const _ of joined) {
      turns.end()
      await settle()
    }
    expect(log).toEqual(['b', 'd', 'a', 'c'])
    turns.end()
    expect(turns.free).toBe(true)
  })

  test('the one that goes first hears what the one before it has failed of; nobody else does', async () => {
    const turns = new Mutex()
    await turns.take()
    const [first, next] = [turns.takeFirst(), turns.takeFirst()]
    turns.end('no answer')
    expect(await first).toBe('no answer')
    turns.end()
    expect(await next).toBeUndefined()
    turns.end('no answer')
    expect(await turns.takeFirst()).toBeUndefined()
  })

  test('free again when the last has ended', async () => {
    const turns = new Mutex()
    await turns.take()
    turns.end()
    await turns.take()
    let passed = false
    void turns.take().then(() => {
      passed = true
    })
    await settle()
    expect(passed).toBe(false)
  })

  test('tryTake takes a turn that is free, and waits for none', async () => {
    const turns = new Mutex()
    expect(turns.tryTake()).toBe(true)
    expect(turns.tryTake()).toBe(false)
    let passed = false
    const waiting = turns.take().then(() => {
      passed = true
    })
    await settle()
    expect(passed).toBe(false)
    turns.end()
    // The turn went straight to the one that waited: nobody takes it in between.
    expect(turns.tryTake()).toBe(false)
    await waiting
    turns.end()
    expect(turns.tryTake()).toBe(true)
  })
})
