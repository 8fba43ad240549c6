/** A process of an episode: runs random programs until it is told to finish. Bundled with the library and started by `fork`. */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { HoldfastError } from '../../src/index.js'
import { Client } from './client.js'
import { Recorder } from './history/history.js'
import type { Command, Word, WorkerOrder } from './order.js'
import { generate } from './program/generate.js'
import { Ledger } from './program/ledger.js'
import { Random } from './program/random.js'
import { PERMITS } from './program/resource.js'
import { storeAt } from './route.js'
import { blockFor, heartbeat, stepClock } from './standstill.js'

const order: WorkerOrder = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const recorder = new Recorder(order.history)
const store = storeAt(order.route)
const ledger = Ledger.at(order.route, `${process.pid}`)
const numbers = { calls: 0, runs: 0, changes: 0 }
let client = open()
const closings = new Set<Promise<void>>()
let finishing = false
const stopBeat = heartbeat((_, ms) => recorder.write({ e: 'lag', ms }))

process.on('unhandledRejection', (error) => {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
  recorder.write({ e: 'wrong', what: `unhandled rejection: ${told}` })
})
process.on('message', (command: Command) => void obey(command))
// Its parent is gone: it would live on, and be in the way of later runs.
const orphaned = () => process.exit(1)
process.once('disconnect', orphaned)

async function obey(command: Command): Promise<void> {
  if (command.do === 'finish') finishing = true
  else if (command.do === 'block') blockFor(command.ms)
  else if (command.do === 'clock') stepClock(command.ms)
  else if (command.do === 'reopen') {
    const closing = reopen(command.drainMs).finally(() => closings.delete(closing))
    closings.add(closing)
  } else if (command.do === 'look') {
    await client.look()
    say('looked')
  } else await close()
}

function open(): Client {
  const { options, resources } = order
  return new Client(store.store, options, resources, numbers, ledger, (told) => recorder.write(told))
}

async function reopen(drainMs: number): Promise<void> {
  const before = client
  client = open()
  const ms = await before.close({ drainMs })
  recorder.write({ e: 'reopened', ms, drainMs })
  await before.rest()
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
  stopBeat()
  // Sockets of clients that were told to disconnect end with the next turns of the loop.
  await pause(200)
  recorder.write({ e: 'closed', ms, handles: process.getActiveResourcesInfo() })
  recorder.close()
  say('closed')
  process.off('disconnect', orphaned)
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
