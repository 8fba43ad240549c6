/** A process with a Holdfast in it: prints what it did, one word a line, and ends when nothing keeps it alive. */
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { Holdfast } from '../../src/index.js'
import { clientLibraries, standaloneClient } from '../setup/clients.js'

const [scenario, port, libraryName, name = ''] = process.argv.slice(2)
const library = clientLibraries.find((each) => each === libraryName)
const say = (word: string): boolean => process.stdout.write(`${word}\n`)
const client = (): ReturnType<typeof standaloneClient> =>
  standaloneClient({ host: '127.0.0.1', port: Number(port) }, library)

const holdfast = new Holdfast(client(), { watchdogMs: 3_000, commandTimeoutMs: 500 })
const lock = holdfast.lock(name)

/** Takes the lock with another caller behind it, so that every connection and subscription comes into use. */
async function contend(): Promise<void> {
  const other = new Holdfast(client())
  const hold = await other.lock(name).acquire()
  holdfast.once('waiting', () => void hold.release())
  await (await lock.acquire()).release()
  if (scenario === 'closed') await other.close()
}

switch (scenario) {
  case 'idle':
    await contend()
    say('released')
    break
  case 'holding':
    await lock.acquire()
    say('held')
    break
  case 'pending':
    holdfast.once('waiting', () => say('waiting'))
    await lock.acquire()
    say('acquired')
    break
  case 'timed-out':
    await lock.acquire({ waitMs: 200 }).catch(() => say('timed-out'))
    break
  case 'unreachable':
    await lock.tryAcquire().catch(() => say('unreachable'))
    await holdfast.close()
    say(`left:${left()}`)
    break
  case 'closed': {
    await contend()
    const hold = await lock.acquire()
    void lock.acquire().catch(() => say('wait-ended'))
    await pause(50)
    await holdfast.close()
    say(hold.signal.aborted ? 'aborted' : 'not-aborted')
    // What a socket leaves behind while it closes is gone a moment later.
    await pause(20)
    say(`left:${left()}`)
    break
  }
}

/** What would keep this process alive. */
function left(): string {
  return process
    .getActiveResourcesInfo()
    .filter((resource) => !/^(PipeWrap|TTYWrap|FSReq|MessagePort)/.test(resource))
    .join()
}
