import { describe, expect, test } from 'vitest'
import { lockName } from '../setup/port-place.js'
import { Acquisition, fresh, hear, type Place } from './requests.js'

export function latchCases(place: Place): void {
  describe(`latch: ${place.name}`, () => {
    test('it is open where no count is set, and closed until that is zero', async () => {
      const [{ latch }, name] = [place.client(), lockName()]
      const open = { outcome: 'granted', room: Number.POSITIVE_INFINITY }
      expect(await new Acquisition(latch, name).acquire()).toEqual(open)
      expect(await latch.trySetCount(name, 2, fresh())).toBe(true)
      expect(await latch.trySetCount(name, 3, fresh())).toBe(false)
      expect(await new Acquisition(latch, name).acquire()).toMatchObject({
        outcome: 'busy',
        remainingMs: Number.POSITIVE_INFINITY,
      })
      expect(await latch.countDown(name, fresh())).toBe(1)
      expect(await latch.inspect(name)).toMatchObject({ remainingMs: Number.POSITIVE_INFINITY })
      expect(await latch.countDown(name, fresh())).toBe(0)
      expect(await new Acquisition(latch, name).acquire()).toEqual(open)
      expect(await latch.countDown(name, fresh())).toBe(0)
      expect(await latch.count(name)).toBe(0)
      expect(await latch.inspect(name)).toEqual({ name, owners: [], remainingMs: 0 })
    })

    test('X1: what is sent twice counts once', async () => {
      const [{ latch }, name] = [place.client(), lockName()]
      const [set, down, last, gone] = [fresh(), fresh(), fresh(), fresh()]
      for (let time = 0; time < 2; time += 1) expect(await latch.trySetCount(name, 3, set)).toBe(true)
      for (let time = 0; time < 2; time += 1) expect(await latch.countDown(name, down)).toBe(2)
      await latch.countDown(name, fresh())
      for (let time = 0; time < 2; time += 1) expect(await latch.countDown(name, last)).toBe(0)
      await latch.trySetCount(name, 1, fresh())
      expect(await latch.countDown(name, last)).toBe(0)
      expect(await latch.count(name)).toBe(1)
      for (let time = 0; time < 2; time += 1) expect(await latch.delete(name, gone)).toBe(true)
      expect(await latch.delete(name, fresh())).toBe(false)
    })

    test.each(['plain', '{tag}:with', 'a{b'])('opening and removing reach who watches: %s', async (form) => {
      const name = `${form}:${lockName()}`
      const [{ latch }, { latch: far }] = [place.client(), place.client()]
      const heard = await hear(far, name)
      await latch.trySetCount(name, 1, fresh())
      await latch.countDown(name, fresh())
      await latch.trySetCount(name, 5, fresh())
      await latch.delete(name, fresh())
      await expect.poll(() => heard.length).toBe(4)
      const room = Number.POSITIVE_INFINITY
      expect(heard).toEqual([undefined, { room }, undefined, { room }])
      expect(await latch.countWatchers(name)).toBe(1)
    })
  })
}
