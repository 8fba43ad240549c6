import { describe, expect, test } from 'vitest'
import { AcquireAll } from '../../src/kinds/several/acquire-all.js'
import { AcquireAny } from '../../src/kinds/several/acquire-any.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { SilentPort } from './silent-port.js'

const COMMAND_TIMEOUT_MS = 300

describe.each([
  ['short', 900],
  ['longer than any part of the call', 10_000],
])('H4: a call for several locks gives up a silent store, storeTimeoutMs %s', (_, storeTimeoutMs) => {
  describe.each([
    ['with one command for several', true],
    ['one by one', false],
  ])('%s', (_, together) => {
    test.each([
      ['all of 3', 3, all],
      ['any of 3', 3, any],
      ['any of 100', 100, any],
    ])('%s: within storeTimeoutMs and one command, not before storeTimeoutMs', async (_, count, call) => {
      const clock = new VirtualClock()
      const scripted = new ScriptedLocker(new SilentPort(clock, COMMAND_TIMEOUT_MS, together), clock, {
        storeTimeoutMs,
      })
      let end: { readonly error: unknown; readonly at: number } | undefined
      call(scripted, clock, count).then(
        () => expect.unreachable(),
        (error: unknown) => {
          end = { error, at: clock.now() }
        },
      )
      await clock.advance(storeTimeoutMs - 1)
      expect(end).toBeUndefined()
      await clock.advance(COMMAND_TIMEOUT_MS + 1)
      expect(end).toMatchObject({ error: { code: 'STORE_ERROR', reason: 'timeout' } })
      const closing = scripted.locker.lifetime.close()
      await clock.advance(COMMAND_TIMEOUT_MS)
      await closing
    })
  })
})

function all({ locker, owners }: ScriptedLocker, clock: VirtualClock, count: number): Promise<unknown> {
  const { name: _, ...terms } = callFrom(root(owners.next()))
  const names = Array.from({ length: count }, (_, index) => String(index))
  const members = names.map((name) => ({ name, locker, place: 0, polls: undefined }))
  return new AcquireAll(members, terms, () => clock.now()).run()
}

function any({ locker, owners }: ScriptedLocker, _clock: VirtualClock, count: number): Promise<unknown> {
  const { name: _, ...terms } = callFrom(root(owners.next()))
  return new AcquireAny(locker, String, count, terms).run()
}
