/** The page of stores that are not Redis: what the command line knows of them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { Holdfast, type Store } from '../../../src/index.js'
import { memcached } from '../../../src/memcached/index.js'
import { sqlite } from '../../../src/sqlite/index.js'
import { MemcachedServer } from '../../servers/memcached.js'
import { useProgram } from '../program.js'
import { serve } from './serving.js'

const program = useProgram()
const undo: Array<() => unknown> = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

function holdfastOn(store: Store): Holdfast {
  const holdfast = new Holdfast(store, { label: 'web-1:11' })
  undo.push(() => holdfast.close())
  return holdfast
}

/** What a page is sent until it has this. */
async function sent(url: string, text: string): Promise<string> {
  const closed = new AbortController()
  const { body } = await fetch(url, { signal: closed.signal })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let all = ''
  for (let over = false; !over && !all.includes(text); ) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    all += value ?? ''
    over = done
  }
  closed.abort()
  return all
}

it('a file: its locks, and what becomes of them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-ui-'))
  undo.push(() => rm(folder, { recursive: true }))
  const path = join(folder, 'locks.db')
  const holdfast = holdfastOn(sqlite(path))
  const hold = await holdfast.fencedLock('deploy').acquire()
  await holdfast.readWriteLock('catalogue').writeLock().acquire()
  const { url } = await serve(program, `sqlite:${path}`)
  const text = await sent(`${url}events`, 'deploy')
  expect(text).toContain('"holders":{"named":["web-1:11"],"more":0}')
  const told = sent(`${url}events?name=deploy`, 'was released')
  await sent(`${url}events?name=deploy`, '"held":true')
  await hold.release()
  expect(await told).toContain('held by web-1:11')
})

it('memcached lists nothing: the page says so, and shows a lock by its name', async () => {
  const server = await MemcachedServer.start()
  undo.push(() => server.stop())
  await holdfastOn(memcached({ servers: [server.address] }))
    .lock('deploy')
    .acquire()
  const { url } = await serve(program, `memcached://${server.address}`)
  await sent(`${url}events`, 'This store cannot list its locks.')
  expect(await sent(`${url}events?name=deploy`, '"held":true')).toContain('web-1:11')
})
