import { describe, expect, test } from 'vitest'
import { isError } from '../../base/errors/is-error.js'
import { untilWaiting } from '../idle.js'
import { inTime } from '../outcome.js'
import type { Place } from '../place.js'

/** Names that break careless code: hash tags of a cluster, separators, other scripts, sheer length. */
const hostile: Readonly<Record<string, (unique: string) => string>> = {
  'an opening brace': (unique) => `{${unique}`,
  'a closing brace': (unique) => `${unique}}`,
  'an opening brace at the end': (unique) => `${unique}{`,
  'a closing brace at the start': (unique) => `}${unique}`,
  'empty braces': (unique) => `{}${unique}`,
  'empty braces before a tag': (unique) => `{}{${unique}}`,
  'a hash tag': (unique) => `a{${unique}}c`,
  'two hash tags': (unique) => `{${unique}}{other}`,
  'nested braces': (unique) => `{{${unique}}}`,
  'braces the wrong way round': (unique) => `}${unique}{`,
  'a tag of spaces': (unique) => `{  }${unique}`,
  spaces: (unique) => `  ${unique} with  spaces `,
  'line breaks': (unique) => `${unique}\r\nDEL *\r\n`,
  'a NUL': (unique) => `\0${unique}\0`,
  'control characters': (unique) => `\u0001\u0007\u001b[31m${unique}\u007f`,
  unicode: (unique) => `${unique}:Größe/鍵/قفل/🔒/👩‍👩‍👧`,
  'binary-looking': (unique) => `${unique}\u0000\u0080\u00ff\ufffd\ufeff\u2028`,
  'glob characters': (unique) => `${unique}*?[a-z]^\\`,
  'a quote and a percent sign': (unique) => `"'%s%d${unique}`,
  'what looks like a release channel': (unique) => `redisson_lock__channel:{${unique}}`,
  'what looks like a prototype': (unique) => `__proto__${unique}`,
  '64 KB': (unique) => `${unique}${'ж🔑'.repeat(11_000)}`,
}

/** Names with nothing of ours in them: somebody else may use them at the same time, so only what holds then is asserted. */
const bare = ['{', '}', '{}', '}{', '{{', '__proto__', 'constructor', ' ', '\0', '0', ':', '*']

/** A glob that fits only names which begin as this one does; a pattern as long as the longest name is not the subject. */
function patternOf(name: string): string {
  const start = [...name].slice(0, 60).join('')
  return `${start.replace(/[[\]*?\\^]/g, '\\$&')}*`
}

export function namesCases(place: Place): void {
  describe('hostile names', () => {
    for (const [what, nameOf] of Object.entries(hostile)) {
      test(`${what}: held, seen, nested, refused, woken and listed across two clients`, async () => {
        const name = nameOf(place.lockName())
        const [here, there] = [place.holdfast(), place.holdfast()]
        const [lock, far] = [here.lock(name), there.lock(name)]
        const owner = here.owner()
        const outer = await lock.acquire({ owner, leaseMs: 600_000 })
        const inner = await lock.acquire({ owner, leaseMs: 600_000 })
        const owners = place.traits.namesHolder ? [{ owner, holds: place.visible(2) }] : [{}]
        expect(await far.inspect()).toMatchObject({ name, owners })
        expect(await far.tryAcquire()).toBeNull()
        const waiting = far.acquire()
        await untilWaiting(place, lock, 1)
        await inner.release()
        await outer.release()
        const mine = await inTime(place, waiting)
        expect(mine.name).toBe(name)
        if (place.traits.lists) {
          const listed: string[] = []
          for await (const state of here.list(patternOf(name))) {
            listed.push(state.name)
          }
          expect(listed).toEqual([name])
        } else {
          await expect(here.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
            code: 'UNSUPPORTED_KIND',
          })
        }
        // And back, woken by a forced unlock.
        const back = lock.acquire()
        await untilWaiting(place, lock, 1)
        expect(await here.lock(name).forceUnlock()).toBe(true)
        // Where waiters stand in no line, a client that has just released leaves the lock to the others for a moment.
        await (await inTime(place, back)).release()
        expect(await far.isLocked()).toBe(false)
      })
    }

    test('bare ones: two clients exclude and wake each other', async () => {
      for (const name of bare) {
        const [here, there] = [place.holdfast(), place.holdfast()]
        const hold = await here.lock(name).acquire({ leaseMs: 600_000 })
        const waiting = there.lock(name).acquire()
        await untilWaiting(place, here.lock(name), 1)
        await hold.release()
        await (await inTime(place, waiting)).release()
      }
    })

    test('names that differ only in what braces, spaces or case make of them are different locks', async () => {
      const unique = place.lockName()
      const names = [
        unique,
        `{${unique}}`,
        `${unique} `,
        ` ${unique}`,
        `{${unique}`,
        `${unique}}`,
        unique.toUpperCase(),
      ]
      const composed = [`${unique}é`, `${unique}e\u0301`]
      const holdfast = place.holdfast()
      const holds = [...names, ...composed].map((name) => holdfast.lock(name).tryAcquire())
      for (const hold of await Promise.all(holds)) {
        expect(hold).not.toBeNull()
        await hold?.release()
      }
    })

    test('the message of an error stays short, whatever the name’s length', async () => {
      const lock = place.holdfast().lock(`${place.lockName()}${'x'.repeat(65_536)}`)
      await using _hold = await place.holdfast().lock(lock.name).acquire()
      await expect(lock.acquire({ waitMs: 0 })).rejects.toSatisfy(
        (error) =>
          isError(error) && error.message.length < 600 && 'lockName' in error && error.lockName === lock.name,
      )
    })
  })
}
