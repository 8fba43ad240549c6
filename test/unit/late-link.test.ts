import { expect, test } from 'vitest'
import { LateLink } from '../../src/stores/redis/connection/late-link.js'
import type { Link } from '../../src/stores/redis/connection/link.js'

/** Notes what it is asked for. */
function notingLink(asked: string[]): Link {
  const note = async (what: string): Promise<never[]> => {
    asked.push(what)
    return []
  }
  return {
    publishCommand: 'SPUBLISH',
    subscribesInOrder: false,
    breaks: 3,
    send: (_key, _about, command) => note(command),
    execute: () => Promise.reject(new Error('not asked for here')),
    together: (body) => body(),
    subscribe: async (channel) => void (await note(`+${channel}`)),
    unsubscribe: (channel) => void asked.push(`-${channel}`),
    doubtNews: () => void asked.push('doubt'),
    nodes: () => note('nodes'),
    nodeOf: () => Promise.reject(new Error('not asked for here')),
    destinationOf: async () => undefined,
    reconnect: async () => void (await note('reconnect')),
    close: async () => void (await note('close')),
  }
}

test('what is asked of a link before it is loaded reaches it afterwards, in that order', async () => {
  const asked: string[] = []
  let resolve: (link: Link) => void = () => undefined
  const loading = new Promise<Link>((loaded) => {
    resolve = loaded
  })
  const link = new LateLink(() => loading)
  const sent = link.together(() => [link.send('key', { command: 'GET' }, 'GET'), link.subscribe('channel')])
  link.unsubscribe('channel')
  link.doubtNews()
  expect([asked, link.breaks]).toEqual([[], 0])
  resolve(notingLink(asked))
  await Promise.all(sent)
  await link.reconnect()
  await link.close()
  expect(asked).toEqual(['GET', '+channel', '-channel', 'reconnect', 'close'])
  expect(link.breaks).toBe(3)
})

test('W6: where it cannot be loaded every command fails with the reason, and the client closes', async () => {
  const link = new LateLink(() => Promise.reject(new Error('no such file')))
  const failure = { reason: 'not-ready', transient: false, message: expect.stringContaining('no such file') }
  await expect(link.send('key', { command: 'GET' }, 'GET')).rejects.toMatchObject(failure)
  await expect(link.subscribe('channel')).rejects.toMatchObject(failure)
  link.unsubscribe('channel')
  await link.close()
})
