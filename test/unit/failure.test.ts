import { describe, expect, test } from 'vitest'
import { StoreError, type StoreFailure } from '../../src/base/errors/errors.js'
import { failureOf, leadsElsewhere, timeoutOf } from '../../src/stores/redis/connection/failure.js'

/** What a client library rejects with when the server answered with an error. */
function reply(message: string): Error {
  const error = new Error(message)
  error.name = 'ReplyError'
  return error
}

const about = { command: 'acquire', lockName: 'invoice:42' }

/** What servers answer: the reason, whether it may pass, and what the message tells its reader to do, where it does. */
const replies: ReadonlyArray<[string, StoreFailure, boolean, string?]> = [
  ['WRONGTYPE Operation against a key holding the wrong kind of value', 'wrong-type', false],
  ['NOPERM this user has no permissions to run the evalsha command', 'permission', false],
  ['NOPERM User joe has no permissions to access one of the keys used as arguments', 'permission', false],
  ['NOAUTH Authentication required.', 'permission', false, 'Set the password'],
  [
    'WRONGPASS invalid username-password pair or user is disabled.',
    'permission',
    false,
    'Check the user name and password',
  ],
  ["ERR The user executing the script can't run this command or subcommand script: 1", 'permission', false],
  ['ERR ACL failure in script: user joe has no permission', 'permission', false],
  ["ERR The user executing the script can't publish to the channel mentioned in it", 'permission', false],
  ["OOM command not allowed when used memory > 'maxmemory'.", 'out-of-memory', false, 'Raise maxmemory'],
  ["READONLY You can't write against a read only replica.", 'read-only', true],
  ['MISCONF Redis is configured to save RDB snapshots, but it is unable to', 'read-only', true, 'its disk'],
  ['NOREPLICAS Not enough good replicas to write.', 'not-ready', true],
  ['LOADING Redis is loading the dataset in memory', 'not-ready', true],
  ['MASTERDOWN Link with MASTER is down', 'not-ready', true],
  ['CLUSTERDOWN The cluster is down', 'not-ready', true],
  ['ERR Script attempted to access a non local key in a cluster node script: 1a2b', 'not-ready', true],
  ['TRYAGAIN Multiple keys request during rehashing of slot', 'not-ready', true],
  ['MOVED 3999 127.0.0.1:6381', 'not-ready', true],
  ['ASK 3999 127.0.0.1:6381', 'not-ready', true],
  ['BUSY Redis is busy running a script.', 'not-ready', true, 'SCRIPT KILL'],
  ['UNBLOCKED force unblock from blocking operation', 'not-ready', true],
  ["CROSSSLOT Keys in request don't hash to the same slot", 'script', false],
  ['ERR unknown command', 'script', false],
  ['ERR Error running script (call to f_1): @user_script:1: WRONGTYPE Operation', 'wrong-type', false],
  ['SOMETHINGNEW canceled due to user request', 'unknown', false],
]

describe('failureOf', () => {
  test('hides the user of a refused login, and no part of other words', () => {
    const command = { name: 'auth', args: ['app', '$1.(x'] }
    const refused = Object.assign(reply('WRONGPASS app:$1.(x of application web-app, not "app"'), { command })
    const message = 'WRONGPASS …:… of application web-app, not "…"'
    expect(failureOf(refused, about).cause).toMatchObject({ message })
  })

  test.each(replies)('%s', (message, reason, transient, advice = '') => {
    const cause = reply(message)
    // Some services take a token for the name of a user.
    const shown = message.replace('joe', '…')
    const failure = failureOf(cause, about)
    expect(failure).toBeInstanceOf(StoreError)
    expect(failure).toMatchObject({ ...about, code: 'STORE_ERROR', reason, transient })
    expect(failure.cause).toMatchObject({ name: cause.name, message: shown })
    expect(failure.message).toMatch(new RegExp(`^acquire for lock "invoice:42" .*${advice}`))
    expect(failure.message).toContain(shown)
  })

  test.each([
    ['ERR max number of clients reached', 'raise its maxclients'],
    ['ERR DB index is out of range', 'choose another'],
  ])('%s: says what to do', (message, advice) => {
    expect(failureOf(reply(message), about).message).toContain(advice)
  })

  test.each([
    'Connection is closed.',
    'read ECONNRESET',
    'connect ECONNREFUSED 127.0.0.1:1',
    'All sentinels are unreachable.',
  ])('anything that is no reply is about the connection: %s', (message) => {
    const failure = failureOf(new Error(message), about)
    expect(failure).toMatchObject({ reason: 'unreachable', transient: true })
    expect(failure.message).toContain('Check that the server runs')
  })

  test('what is no error at all is unknown, and final', () => {
    for (const thrown of ['nonsense', undefined])
      expect(failureOf(thrown, about)).toMatchObject({ reason: 'unknown', transient: false })
  })

  test('what is a StoreError already stays what it is', () => {
    const failure = timeoutOf(about, 500)
    expect(failureOf(failure, { command: 'other' })).toBe(failure)
  })

  test.each([
    ["READONLY You can't write against a read only replica.", true],
    ["ERR Error running script (call to f_1a2b): @user_script:1: -READONLY You can't write against a", true],
    ['MASTERDOWN Link with MASTER is down', true],
    ['LOADING Redis is loading the dataset in memory', true],
    ['CLUSTERDOWN The cluster is down', true],
    ['NOREPLICAS Not enough good replicas to write.', false],
    ['MOVED 3999 127.0.0.1:6381', false],
    ['MISCONF Redis is configured to save RDB snapshots, but it is unable to persist', false],
  ])('H1: whether another server is to be looked for: %s: %s', (message, elsewhere) => {
    expect(leadsElsewhere(reply(message))).toBe(elsewhere)
    expect(leadsElsewhere(new Error(message))).toBe(false)
  })

  test('timeoutOf: may succeed when tried again; says which command, which lock and which setting', () => {
    const failure = timeoutOf(about, 500)
    expect(failure).toMatchObject({ reason: 'timeout', transient: true })
    expect(failure.message).toMatch(/acquire.*"invoice:42".*500 ms.*commandTimeoutMs/)
  })
})
