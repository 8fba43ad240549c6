import { constants } from 'node:os'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { canMakeTerminals, ownServer, type Running, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

/** Long enough to see that nothing happens which would happen at once. */
const SOON_MS = 500

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The process id that the command says as `word <pid>`. */
async function pidIn(running: Running, word: string): Promise<number> {
  await running.shows(new RegExp(`${word} \\d+\r?\n`))
  const pid = Number(new RegExp(`${word} (\\d+)`).exec(running.stdout)?.[1])
  onTestFinished(() => void (runs(pid) && process.kill(pid, 'SIGKILL')))
  return pid
}

/** Says what signals it gets, and works on until it reads a line. */
const worker = `node -e '
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => console.error("got " + signal))
process.stdin.on("data", () => process.exit())
console.error("ready")'`

describe('holdfast run: H33, signals and all that the command has started', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`${signal} reaches the rest of a pipe, and the lock is held until that has ended`, async () => {
      const name = place.lockName()
      const lock = place.holdfast().lock(name)
      const script = `echo shell $$; ${worker} | cat`
      const running = program.start(['run', name, '--grace', '10', '--', 'sh', '-c', script])
      const shell = await pidIn(running, 'shell')
      await running.says('ready')
      running.child.kill(signal)
      await running.says(`got ${signal}`)
      // At INT the shell itself waits for its pipe.
      if (signal !== 'SIGINT') await place.eventually(() => !runs(shell))
      await place.pass(SOON_MS)
      expect(await lock.isLocked()).toBe(true)
      const code = 128 + constants.signals[signal]
      expect(await running.goesOn()).toMatchObject({ code, stderr: `ready\ngot ${signal}\n` })
      expect(await lock.isLocked()).toBe(false)
    })
  }

  it('what does not end in time is killed, and only then the lock is free', async () => {
    const name = place.lockName()
    const lock = place.holdfast().lock(name)
    const running = program.start(['run', name, '--grace', '0.3', '--', 'sh', '-c', `${worker} | cat`])
    await running.says('ready')
    const killed = { code: 143, stderr: expect.stringMatching(/got SIGTERM\n.*killed/) }
    expect(await running.endsBy('SIGTERM')).toMatchObject(killed)
    expect(await lock.isLocked()).toBe(false)
  })

  it('a command that somebody else has ended by a signal: the rest of it ends before the lock is free', async () => {
    const name = place.lockName()
    const script = `echo shell $$; ${worker} | cat`
    const running = program.start(['run', name, '--grace', '0.5', '--', 'sh', '-c', script])
    const shell = await pidIn(running, 'shell')
    await running.says('ready')
    process.kill(shell, 'SIGKILL')
    const killed = { code: 137, stderr: expect.stringMatching(/got SIGTERM\n.*killed/) }
    expect(await running.outcome).toMatchObject(killed)
    expect(await place.holdfast().lock(name).isLocked()).toBe(false)
  })

  it('a service with a session of its own is left alone', async () => {
    const script = 'setsid sleep 600 >/dev/null 2>&1 & echo service $!; exec sleep 600'
    const running = program.start(['run', place.lockName(), '--', 'sh', '-c', `sh -c '${script}'; true`])
    const service = await pidIn(running, 'service')
    expect((await running.endsBy('SIGTERM')).code).toBe(143)
    expect(runs(service)).toBe(true)
  })

  it('what a command leaves behind that ends by itself is left alone, and the lock is free', async () => {
    const name = place.lockName()
    const script = 'sleep 600 >/dev/null 2>&1 & echo service $!'
    const running = program.start(['run', name, '--', 'sh', '-c', script])
    const service = await pidIn(running, 'service')
    expect((await running.outcome).code).toBe(0)
    expect(runs(service)).toBe(true)
    expect(await place.holdfast().lock(name).isLocked()).toBe(false)
  })
})

/** Says each signal it gets. Once it has an INT, it has the program pass on another signal: what was passed on before, comes before. */
const caller = `node -e '
process.on("SIGINT", () => { console.log("got SIGINT"); process.kill(process.ppid, "SIGUSR2") })
process.on("SIGUSR2", () => { console.log("got SIGUSR2"); process.exit(7) })
setInterval(() => {}, 1000); console.log("program " + process.ppid)'`

describe('holdfast run: H34, each signal reaches the command once', () => {
  it.skipIf(!canMakeTerminals).each([
    ['Ctrl-C', 'a terminal', ''],
    ['Ctrl-C', 'a pipe', 'sleep 1 | '],
    ['Ctrl-C', 'nothing', '</dev/null '],
    ['kill', 'a terminal', ''],
    ['kill', 'a pipe', 'sleep 1 | '],
    ['kill', 'nothing', '</dev/null '],
  ])('INT by %s, standard input is %s', async (by, _, before) => {
    const text = `${before}holdfast run ${place.lockName()} -- ${caller}; echo "code $?"`
    // A shell that does not end at the Ctrl-C itself.
    const running = program.startInShellOnTerminal(`trap : INT; ${text}`)
    const pid = await pidIn(running, 'program')
    if (by === 'kill') process.kill(pid, 'SIGINT')
    else running.child.stdin?.write('\u0003')
    await running.shows('code')
    expect(running.stdout.match(/(got|code) \w+/g)).toEqual(['got SIGINT', 'got SIGUSR2', 'code 7'])
  })
})

describe('holdfast run: H34, signals while the lock is given back to a server that hangs', () => {
  async function releasing(): Promise<Running> {
    const server = await ownServer()
    const script = 'echo shell $$; read line; exit 3'
    const running = program.start(['run', place.lockName(), '--', 'sh', '-c', script], server)
    const shell = await pidIn(running, 'shell')
    await server.pause()
    void running.goesOn()
    await place.eventually(() => !runs(shell))
    return running
  }

  it('TERM bounds the end of the program, which has the code of the command', async () => {
    const running = await releasing()
    const startedAt = performance.now()
    const { code, stderr } = await running.endsBy('SIGTERM')
    expect(code).toBe(3)
    expect(stderr).toContain('could not be released and stays held until its lease ends')
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  it('a second one ends it at once', async () => {
    const running = await releasing()
    const startedAt = performance.now()
    do running.child.kill('SIGTERM')
    while (!(await Promise.race([running.outcome.then(() => true), place.pass(300).then(() => false)])))
    expect((await running.outcome).code).toBe(3)
    expect(performance.now() - startedAt).toBeLessThan(3_000)
  })
})
