import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { canMakeTerminals, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const

/** Says each signal it gets, and ends with 7 when told to. */
const listener = [
  'node',
  '-e',
  `for (const signal of ${JSON.stringify(signals)}) process.on(signal, () => console.log('got ' + signal))
   process.stdin.on('data', () => process.exit(7))
   console.log('ready')`,
]

describe('holdfast run: signals', () => {
  for (const signal of signals) {
    it(`${signal} is passed on to the command, which decides what to make of it`, async () => {
      const running = program.start(['run', place.lockName(), '--', ...listener])
      await running.shows('ready')
      running.child.kill(signal)
      await running.shows(`got ${signal}`)
      running.child.stdin?.write('end\n')
      const { code, stdout } = await running.outcome
      expect(code).toBe(7)
      expect(stdout).toBe(`ready\ngot ${signal}\n`)
    })

    it(`${signal} ends the wait with 128+n and leaves nothing behind`, async () => {
      const name = place.lockName()
      const lock = place.holdfast().lock(name)
      const hold = await lock.acquire()
      const running = program.start(['run', name, '-v', '--', 'echo', 'ran'])
      await running.says('waiting for lock')
      running.child.kill(signal)
      expect(await running.outcome).toMatchObject({ code: 128 + constants.signals[signal], stdout: '' })
      await place.eventually(
        () => lock.countWaitingClients(),
        (count) => count === 0,
      )
      await hold.release()
      expect(await lock.isLocked()).toBe(false)
    })
  }

  it('a command that a passed-on signal ends makes it 128+n, and the lock is free', async () => {
    const name = place.lockName()
    const running = program.start(['run', name, '--', 'sh', '-c', 'echo ready; exec sleep 60'])
    await running.shows('ready')
    running.child.kill('SIGTERM')
    expect((await running.outcome).code).toBe(128 + constants.signals.SIGTERM)
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
