import { afterEach, describe, expect, test } from 'vitest'
import { Scene } from '../fault/scene.js'

let scene: Scene
afterEach(() => scene.end())

describe.each([
  { where: 'standalone, RESP3', open: () => Scene.standalone('ioredis-6') },
  { where: 'standalone, RESP2', open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster', open: () => Scene.cluster('ioredis-6') },
])('H9: an answer that cannot be read ($where)', ({ open }) => {
  test('ends the call that asked, at once and for good', async () => {
    scene = await open()
    const value = scene.holdfast().guardedValue(scene.name)
    await scene.direct.hset(scene.name, { value: 'theirs', fence: 'zzz no number' })
    const failure = { code: 'STORE_ERROR', reason: 'wrong-type', transient: false }
    await expect(value.set('mine', 1n)).rejects.toMatchObject(failure)
    await expect(value.get()).rejects.toMatchObject(failure)
    expect(await scene.direct.hget(scene.name, 'value')).toBe('theirs')
    await scene.direct.del(scene.name)
    await value.set('mine', 1n)
    expect(await value.get()).toEqual({ value: 'mine', fence: 1n })
    await scene.direct.del(scene.name)
  })
})
