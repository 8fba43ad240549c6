import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { untilWaiting } from '../../src/conformance/idle.js'
import { tidiedPlace } from '../setup/places.js'
import { canMakeTerminals, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const

const passedOn = [...signals, 'SIGCONT', 'SIGWINCH'] as const

/** Says each signal it gets, and ends with 7 when told to. */
const listener = [
  'node',
  '-e',
  `for (const signal of ${JSON.stringify([...passedOn, 'SIGPIPE'])}) process.on(signal, () => console.log('got ' + signal))
   process.stdin.on('data', () => process.exit(7))
   console.log('ready')`,
]

describe('holdfast run: signals', () => {
  for (const signal of passedOn)
    it(`${signal} is passed on to the command, which decides what to make of it`, async () => {
      const running = await program.ready([place.lockName(), '--', ...listener])
      running.child.kill('SIGPIPE')
      running.child.kill(signal)
      await running.shows(`got ${signal}`)
      expect(await running.goesOn()).toMatchObject({ code: 7, stdout: `ready\ngot ${signal}\n` })
    })

  for (const signal of signals)
    it(`${signal} ends the wait with 128+n and leaves nothing behind`, async () => {
      const name = place.lockName()
      const lock = place.holdfast().lock(name)
      const hold = await lock.acquire()
      const running = program.start(['run', name, '-v', '--', 'echo', 'ran'])
      await running.says('waiting for lock')
      const ended = { code: 128 + constants.signals[signal], stdout: '' }
      expect(await running.endsBy(signal)).toMatchObject(ended)
      await untilWaiting(place, lock, 0)
      await hold.release()
      expect(await lock.isLocked()).toBe(false)
    })

  it('a command that a passed-on signal ends makes it 128+n, and the lock is free', async () => {
    const name = place.lockName()
    const running = await program.ready([name, '--', 'sh', '-c', 'echo ready; exec sleep 60'])
    expect((await running.endsBy('SIGTERM')).code).toBe(128 + constants.signals.SIGTERM)
    expect(await place.holdfast().lock(name).isLocked()).toBe(false)
  })

  it.skipIf(!canMakeTerminals)('Ctrl-C on a terminal ends the wait', async () => {
    const name = place.lockName()
    await using _ = await place.holdfast().lock(name).acquire()
    const running = program.startOnTerminal(['run', name, '-v', '--', 'echo', 'ran'])
    await running.shows('waiting for lock')
    running.child.stdin?.write('\u0003')
    expect((await running.outcome).code).toBe(130)
  })
})
