import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Hold, Holdfast, StoreError } from '../../src/index.js'
import { memcached } from '../../src/stores/memcached/index.js'
import { type StandIn, standIn } from '../servers/stand-in.js'
import { eventually } from '../setup/eventually.js'

/** Speaks as much of memcached's protocol as a lock needs, and garbles what it is told to. */
class Garbler {
  /** What it answers in the place of the truth; undefined: the truth. */
  garbles: (word: string, key: string) => string | undefined = () => undefined
  readonly #items = new Map<string, { owner: string; cas: number }>()
  #cas = 0

  forget(key: string): void {
    this.#items.delete(key)
  }

  serve(socket: Socket): void {
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString()
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const words = text.slice(0, end).split(' ')
        const [word = '', key = ''] = words
        const value = word === 'ms' ? text.slice(end + 2).split('\r\n')[0] : undefined
        text = text.slice(end + 2 + (value === undefined ? 0 : value.length + 2))
        const truth = this.#answer(word, key, words, value ?? '')
        socket.write(`${this.garbles(word, key) ?? truth}\r\n`)
      }
    })
  }

  #answer(word: string, key: string, words: readonly string[], value: string): string {
    if (word === 'mn') return 'MN'
    const item = this.#items.get(key)
    const cas = words.find((each) => /^C\d+$/.test(each))?.slice(1)
    if (word === 'mg') return item ? `VA ${item.owner.length} c${item.cas} t30\r\n${item.owner}` : 'EN'
    if (cas !== undefined && !item) return 'NF'
    if (cas !== undefined && cas !== String(item?.cas)) return 'EX'
    if (word === 'md') {
      this.#items.delete(key)
      return 'HD'
    }
    if (words.includes('ME') && item) return 'NS'
    this.#cas += 1
    this.#items.set(key, { owner: value, cas: this.#cas })
    return `HD c${this.#cas}`
  }
}

const SHAPES: readonly string[] = [
  'HD',
  'HD cNaN',
  'EN',
  'NS',
  'MN',
  'VA 2 cNaN t30\r\nxx',
  'VA 2 c1 tNaN\r\nxx',
  'VA 2 c1 t1e999\r\nxx',
  'VA 2 c1\r\nxx',
  'VA 2\r\nxx',
  'SERVER_ERROR junk',
]

describe('faults A1: replies that cannot be read', () => {
  let server: Garbler
  let stand: StandIn
  let holdfast: Holdfast
  let bystander: Hold

  beforeEach(async () => {
    server = new Garbler()
    stand = await standIn((socket) => server.serve(socket))
    const settings = { watchdogMs: 5_000, storeTimeoutMs: 200, commandTimeoutMs: 1_000 }
    holdfast = new Holdfast(memcached({ servers: [stand.address] }), settings)
    bystander = await holdfast.lock('bystander').acquire()
  })

  /** The client's other lock is renewed, and its signal works. */
  afterEach(async () => {
    server.garbles = () => undefined
    bystander.assertHeld()
    await renewedOnce('bystander')
    server.forget('holdfast:lock:bystander')
    await eventually(() => bystander.signal.aborted)
    await holdfast.close()
    stand.stop()
  })

  function renewedOnce(name: string): Promise<void> {
    return new Promise((resolve) => {
      holdfast.on('renewed', (told) => {
        if (told.name === name) resolve()
      })
    })
  }

  /** Each shape has a lock of its own. */
  const names = SHAPES.map((_, index) => `lock-${index}`)

  function garble(word: string): void {
    const shapeOf = new Map(SHAPES.map((shape, index) => [`holdfast:lock:lock-${index}`, shape]))
    server.garbles = (asked, key) => (asked === word ? shapeOf.get(key) : undefined)
  }

  /** Each call ends as one of these: the shape, and the type of its result or the reason of its error. */
  async function expectOutcomes(expected: RegExp, call: (name: string) => Promise<unknown>): Promise<void> {
    const all = names.map(async (name, index) => {
      const outcome = await call(name).then(
        (result) => (result === null ? 'null' : typeof result),
        (error: unknown) => (error instanceof StoreError ? error.reason : String(error)),
      )
      return `${JSON.stringify(SHAPES[index])}: ${outcome}`
    })
    expect((await Promise.all(all)).filter((each) => !expected.test(each))).toEqual([])
  }

  test('to an acquire: nothing is granted, and nothing stays', async () => {
    garble('ms')
    const fits = /: (?:unreadable|not-ready)$|^"(?:HD|NS).*: (?:object|null)$/
    await expectOutcomes(fits, (name) => holdfast.lock(name).tryAcquire())
    server.garbles = () => undefined
    await (await holdfast.lock('lock-2').acquire({ waitMs: 5_000 })).release()
  })

  test('to a look: the call settles, and says so', async () => {
    garble('mg')
    const fits = /: (?:unreadable|not-ready)$|^"EN": boolean$/
    await expectOutcomes(fits, (name) => holdfast.lock(name).isLocked())
    await expectOutcomes(/unreadable|not-ready|^"EN"/, (name) => holdfast.lock(name).tryAcquire())
  })

  test('to a removal: it is repeated as after an answer that was lost', async () => {
    const holds = await Promise.all(names.map((name) => holdfast.lock(name).acquire()))
    garble('md')
    // Repeated, it is told the truth: the item is gone.
    const fits = /: (?:undefined|not-ready)$/
    await expectOutcomes(fits, async (name) => await holds.find((each) => each.name === name)?.release())
    server.garbles = () => undefined
  })

  test('to a renewal: it is tried again, and nothing is lost', async () => {
    const holds = await Promise.all(names.map((name) => holdfast.lock(name).acquire()))
    const suspended = new Set<string>()
    holdfast.on('suspended', ({ name }) => suspended.add(name))
    garble('ms')
    await eventually(() => suspended.size === SHAPES.filter((shape) => !shape.startsWith('HD')).length)
    server.garbles = () => undefined
    await Promise.all(names.map(renewedOnce))
    for (const hold of holds) hold.assertHeld()
    await Promise.all(holds.map((hold) => hold.release()))
  })
})
