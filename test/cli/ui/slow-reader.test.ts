/** A page that does not read: what it does not take is not made, so that nothing piles up in memory. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { serve } from '@hono/node-server'
import { expect, it } from 'vitest'
import { appOf } from '../../../src/cli/ui/app.js'
import type { Picture } from '../../../src/cli/ui/picture.js'
import { eventually } from '../../setup/eventually.js'

const MEGABYTE = 1_048_576

it('pictures wait for a page that does not read, and end with it', async () => {
  let made = 0
  let ended = false
  async function* pictures(): AsyncGenerator<Picture> {
    try {
      for (;;) {
        made += 1
        const trouble = `${made} ${'x'.repeat(MEGABYTE)}`
        yield { rows: [], hidden: 0, isAll: true, unreadable: 0, trouble, deadlocks: [], changes: [] }
      }
    } finally {
      ended = true
    }
  }
  const app = appOf({
    looker: { pages: 0, pictures: (_subject, _after, signal) => until(pictures(), signal) },
    told: String,
    server: '',
    files: new Map(),
    token: undefined,
    unlocker: undefined,
  })
  const http = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
  const port = await new Promise<number>((resolve) => {
    http.once('listening', () => {
      const address = http.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  const socket = connect(port, '127.0.0.1')
  try {
    socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
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
      (now) => now > 200,
      30_000,
    )
    socket.destroy()
    await eventually(() => ended, Boolean)
  } finally {
    socket.destroy()
    http.close()
  }
})

it('faults C1: a HEAD of the events, which nobody reads, has nothing looked at', async () => {
  let looked = 0
  const app = appOf({
    looker: {
      pages: 0,
      async *pictures() {
        looked += 1
        yield { rows: [], hidden: 0, isAll: true, unreadable: 0, trouble: null, deadlocks: [], changes: [] }
      },
    },
    told: String,
    server: '',
    files: new Map(),
    token: undefined,
    unlocker: undefined,
  })
  const http = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
  try {
    await once(http, 'listening')
    const address = http.address()
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/events`
    const head = await fetch(url, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.get('content-type')).toBe('text/event-stream')
    expect(looked).toBe(0)
    await (await fetch(url)).text()
    expect(looked).toBe(1)
  } finally {
    http.close()
  }
})

it('faults C1: a page that is gone in the middle of a picture is left', async () => {
  let ended = false
  let made = 0
  const app = appOf({
    looker: {
      pages: 0,
      async *pictures(_subject, _after, signal) {
        try {
          while (!signal.aborted) {
            made += 1
            const trouble = `${made} ${'x'.repeat(MEGABYTE)}`
            yield { rows: [], hidden: 0, isAll: true, unreadable: 0, trouble, deadlocks: [], changes: [] }
          }
        } finally {
          ended = true
        }
      },
    },
    told: String,
    server: '',
    files: new Map(),
    token: undefined,
    unlocker: undefined,
  })
  const http = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
  try {
    await once(http, 'listening')
    const address = http.address()
    const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
    socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await eventually(
      () => made,
      (now) => now > 1,
    )
    socket.destroy()
    await eventually(() => ended, Boolean)
  } finally {
    http.close()
  }
})

async function* until(pictures: AsyncGenerator<Picture>, signal: AbortSignal): AsyncGenerator<Picture> {
  for await (const picture of pictures) {
    if (signal.aborted) return
    yield picture
  }
}
