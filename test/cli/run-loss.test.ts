import { describe, expect, it } from 'vitest'
import { standaloneClient } from '../setup/clients.js'
import { lasting } from '../setup/lasting.js'
import { tidiedPlace } from '../setup/places.js'
import { jsonLines } from './json.js'
import { ownServer, untilTold, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

/** How late a busy machine may be; well below the grace periods, by which a command would be late that got them too late. */
const LATE_MS = 1_000

/** Ends with 5 at TERM, having said so. */
const obedient = node(`process.on('SIGTERM', () => { console.log('got TERM'); process.exit(5) })
  setInterval(() => {}, 1000); console.log('ready')`)

/** Takes no notice of TERM, and writes the time until it is killed. */
const stubborn = node(`process.on('SIGTERM', () => console.log('got TERM'))
  setInterval(() => console.log('alive ' + Date.now()), 20); console.log('expires ' + process.env.HOLDFAST_EXPIRES_AT + ' ready')`)

function node(script: string): string[] {
  return ['--', 'node', '-e', script]
}

describe('holdfast run: the lock is lost', () => {
  it('76: forced open by another client, the command is told by TERM', async () => {
    const name = place.lockName()
    const running = await program.ready([name, '--watchdog', '6', ...obedient])
    expect(await place.holdfast().lock(name).forceUnlock()).toBe(true)
    const { code, stdout, stderr } = await running.outcome
    expect({ code, stdout }).toEqual({ code: 76, stdout: 'ready\ngot TERM\n' })
    expect(stderr).toContain(`lock "${name}" was lost`)
  })

  it('76: a stubborn command is killed, and the new holder is left alone', async () => {
    const name = place.lockName()
    const flags = ['--watchdog', `${lasting(4_000) / 1_000}`, '--grace', '0.3', '--json']
    const running = await program.ready([name, ...flags, ...stubborn])
    const lock = place.holdfast().lock(name)
    await lock.forceUnlock()
    await using hold = await lock.acquire()
    const { code, stdout, stderr } = await running.outcome
    expect(code).toBe(76)
    expect(stdout).toContain('got TERM')
    expect(jsonLines(stderr).map(({ event }) => event)).toEqual(['acquired', 'lost', 'killed', 'ended'])
    expect((await lock.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
  })

  it('what the command has started ends with it, though its shell is gone first', async () => {
    const name = place.lockName()
    const script = `(trap '' TERM; echo ready; while :; do sleep 0.1; done) & wait`
    const running = await program.ready([name, '--watchdog', '3', '--grace', '0.2', '-c', script])
    await place.holdfast().lock(name).forceUnlock()
    // Settles only when nobody has the streams any more.
    expect((await running.outcome).code).toBe(76)
  })

  it('76: at the end of --lease, and the command is over before it is', async () => {
    const running = program.start(['run', place.lockName(), '--lease', '6', '--grace', '2', ...stubborn])
    const { code, stdout, stderr } = await running.outcome
    expect(code).toBe(76)
    expect(stdout).toContain('got TERM')
    expect(stderr).toContain('about to be lost')
    expect(lastSign(stdout)).toBeLessThan(leaseEnd(stdout) + LATE_MS)
  })

  it('76: the server hangs, and the command is over before the lease is', async () => {
    const server = await ownServer()
    const name = place.lockName()
    const running = await program.ready([name, '--watchdog', '6', '--grace', '1.6', ...stubborn], server)
    const client = standaloneClient({ host: server.host, port: server.port })
    const leaseEndsAt = Number(await client.call('PEXPIRETIME', name))
    await server.pause()
    client.disconnect()
    await running.says('sent TERM')
    await server.resume()
    const { code, stdout, stderr } = await running.outcome
    expect(code).toBe(76)
    expect(stdout).toContain('got TERM')
    expect(stderr).toContain('could not be renewed')
    expect(lastSign(stdout)).toBeLessThan(leaseEndsAt + LATE_MS)
  })

  it('goes on when the server was away and is back in time', async () => {
    const server = await ownServer()
    const args = [place.lockName(), '--watchdog', '6', '--grace', '0.5', ...untilTold(3)]
    const running = await program.ready(args, server)
    await server.restart({ keepData: true })
    expect((await running.goesOn()).code).toBe(3)
  })

  it('a loss that shows only at the end turns success into 76, and leaves a failure as it is', async () => {
    for (const [own, expected] of [[0, 76] as const, [4, 4] as const]) {
      const name = place.lockName()
      const running = await program.ready([name, '--lease', '30', ...untilTold(own)])
      await place.holdfast().lock(name).forceUnlock()
      const { code, stderr } = await running.goesOn()
      expect(code).toBe(expected)
      expect(stderr).toContain('was lost while the command ran')
    }
  })

  it('the command’s exit code stands when the lock can no longer be given back', async () => {
    const server = await ownServer()
    // The command ends by itself before that, and its release is tried until then.
    const args = [place.lockName(), '--lease', `${lasting(5_000) / 1_000}`, '--grace', '0.1', ...untilTold(3)]
    const running = await program.ready(args, server)
    await server.kill()
    const { code, stderr } = await running.goesOn()
    expect(code).toBe(3)
    expect(stderr).toContain('could not be released')
  })
})

function lastSign(stdout: string): number {
  return Number(/alive (\d+)\n$/.exec(stdout.slice(0, stdout.lastIndexOf('\n') + 1))?.[1])
}

function leaseEnd(stdout: string): number {
  return Date.parse(/expires (\S+)/.exec(stdout)?.[1] ?? '')
}
