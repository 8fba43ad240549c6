/** A page that does not read: what it does not take is not made, so that nothing piles up in memory. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { serve } from '@hono/node-server'
import { expect, it, onTestFinished } from 'vitest'
import { appOf } from '../../../src/cli/ui/app.js'
import type { Picture } from '../../../src/cli/ui/picture.js'
import { eventually } from '../../setup/eventually.js'

const MEGABYTE = 1_048_576

type Looker = Parameters<typeof appOf>[0]['looker']

/** The page with these pictures, at that port of this machine. */
async function served(pictures: Looker['pictures']): Promise<number> {
  const app = appOf({
    looker: { pages: 0, pictures },
    told: String,
    server: '',
    files: new Map(),
    access: 'this machine',
    unlocker: undefined,
  })
  const http = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
  onTestFinished(() => void http.close())
  await once(http, 'listening')
  const address = http.address()
  return typeof address === 'object' && address ? address.port : 0
}

function pictureOf(trouble: string | null): Picture {
  return {
    ...{ rows: [], total: 0, from: 0, isAll: true, unreadable: 0, trouble },
    ...{ totals: null, trend: null, traffic: null, deadlocks: [], waits: [], since: 0, changes: [] },
  }
}

/** Asks for the events, and reads nothing of them. */
function deafTo(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return socket
}

it('pictures wait for a page that does not read, and end with it', async () => {
  let made = 0
  let ended = false
  async function* pictures(): AsyncGenerator<Picture> {
    try {
      for (;;) {
        made += 1
        yield pictureOf(`${made} ${'x'.repeat(MEGABYTE)}`)
      }
    } finally {
      ended = true
    }
  }
  const socket = deafTo(await served((_subject, _after, signal) => until(pictures(), signal)))
  let [before, still] = [0, 0]
  // What the kernel holds for a reader is some megabytes.
  await eventually(
    () => made,
    (now) => {
      still = now === before ? still + 1 : 0
      before = now
      return now > 0 && still > 100
    },
  )
  expect(made).toBeLessThan(40)
  socket.resume()
  await eventually(
    () => made,
    (now) => now > 60,
    30_000,
  )
  socket.destroy()
  await eventually(() => ended, Boolean)
})

it('faults C1: a HEAD of the events, which nobody reads, has nothing looked at', async () => {
  let looked = 0
  const port = await served(async function* () {
    looked += 1
    yield pictureOf(null)
  })
  const url = `http://127.0.0.1:${port}/events`
  const head = await fetch(url, { method: 'HEAD' })
  expect(head.status).toBe(200)
  expect(head.headers.get('content-type')).toBe('text/event-stream')
  expect(looked).toBe(0)
  await (await fetch(url)).text()
  expect(looked).toBe(1)
})

it('faults C1: a page that is gone in the middle of a picture is left', async () => {
  let ended = false
  let made = 0
  const port = await served(async function* (_subject, _after, signal) {
    try {
      while (!signal.aborted) {
        made += 1
        yield pictureOf(`${made} ${'x'.repeat(MEGABYTE)}`)
      }
    } finally {
      ended = true
    }
  })
  const socket = deafTo(port)
  await eventually(
    () => made,
    (now) => now > 1,
  )
  socket.destroy()
  await eventually(() => ended, Boolean)
})

async function* until(pictures: AsyncGenerator<Picture>, signal: AbortSignal): AsyncGenerator<Picture> {
  for await (const picture of pictures) {
    if (signal.aborted) return
    yield picture
  }
}
