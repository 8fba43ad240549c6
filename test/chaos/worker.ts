/** A process of an episode: runs random programs until it is told to finish. Bundled with the library and started by `fork`. */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { HoldfastError } from '../../src/index.js'
import { Client } from './client.js'
import { Recorder } from './history/recorder.js'
import type { Command, Word, WorkerOrder } from './order.js'
import { generate } from './program/generate.js'
import { Ledger } from './program/ledger.js'
import { Random } from './program/random.js'
import { PERMITS } from './program/resource.js'
import { storeAt } from './route.js'
import { blockFor, stepClock } from './standstill.js'

const BEAT_MS = 20
// Some waits for a server are that short.
const LAG_MS = 40

const order: WorkerOrder = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const recorder = new Recorder(order.history)
const store = storeAt(order.route)
const ledger = Ledger.at(order.route, `${process.pid}`)
const numbers = { calls: 0, runs: 0, changes: 0 }
let client = open()
const closings = new Set<Promise<void>>()
let finishing = false
let lastBeat = performance.now()

const beat = setInterval(() => {
  const late = performance.now() - lastBeat - BEAT_MS
  lastBeat = performance.now()
  if (late > LAG_MS) recorder.write({ e: 'lag', ms: late })
}, BEAT_MS)

process.on('unhandledRejection', (error) => {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
  recorder.write({ e: 'wrong', what: `unhandled rejection: ${told}` })
})
process.on('message', (command: Command) => {
  void obey(command)
})

async function obey(command: Command): Promise<void> {
  switch (command.do) {
    case 'finish':
      finishing = true
      return
    case 'block':
      blockFor(command.ms)
      return
    case 'clock':
      stepClock(command.ms)
      return
    case 'reopen': {
      const closing = reopen(command.drainMs).finally(() => closings.delete(closing))
      closings.add(closing)
      return
    }
    case 'force':
      await force(command).catch(expected)
      return
    case 'look':
      await client.look()
      say('looked')
      return
    case 'close':
      await close()
  }
}

function open(): Client {
  return new Client(store.store, order.options, order.resources, numbers, ledger, (told) =>
    recorder.write(told),
  )
}

async function reopen(drainMs: number): Promise<void> {
  const before = client
  client = open()
  const ms = await before.close({ drainMs })
  recorder.write({ e: 'reopened', ms, drainMs })
  await before.rest()
}

async function force({ kind, name }: Command & { do: 'force' }): Promise<void> {
  const { holdfast, handles } = client
  if (kind === 'read-write') await holdfast.readWriteLock(name).writeLock().forceUnlock()
  else if (
    kind !== 'semaphore' &&
    kind !== 'permits' &&
    kind !== 'compute-once' &&
    kind !== 'striped' &&
    kind !== 'latch'
  )
    await handles.lock(name).forceUnlock()
}

/** The number of permits is the operator's affair: it is set again where it was lost. */
async function setPermits(): Promise<void> {
  const { holdfast } = client
  for (const { kind, name } of order.resources) {
    if (kind === 'semaphore') await holdfast.semaphore(name).trySetPermits(PERMITS).catch(expected)
    if (kind === 'permits')
      await holdfast.permitExpirableSemaphore(name).trySetPermits(PERMITS).catch(expected)
  }
}

async function task(random: Random): Promise<void> {
  while (!finishing) {
    await client.run(generate(random, order))
    await pause(random.whole(0, 3))
  }
}

async function close(): Promise<void> {
  clearInterval(permits)
  const ms = await client.close()
  store.disconnect()
  clearInterval(beat)
  // Sockets of clients that were told to disconnect end with the next turns of the loop.
  await pause(200)
  recorder.write({ e: 'closed', ms, handles: process.getActiveResourcesInfo() })
  recorder.close()
  say('closed')
  process.disconnect()
}

function say(word: Word): void {
  process.send?.(word)
}

function expected(error: unknown): void {
  if (!(error instanceof HoldfastError)) recorder.write({ e: 'wrong', what: String(error) })
}

const permits = setInterval(() => void setPermits(), 500)
await setPermits()
const random = new Random(order.seed)
const tasks = Array.from({ length: order.tasks }, (_, index) => task(random.branch(index)))
say('ready')
await Promise.all(tasks)
while (closings.size > 0) await Promise.all(closings)
clearInterval(permits)
await client.rest()
say('idle')
