/** A page that does not read: what it does not take is not made, so that nothing piles up in memory. */
import { connect, type Socket } from 'node:net'
import { serve } from '@hono/node-server'
import { expect, it, onTestFinished } from 'vitest'
import { appOf } from '../../../src/cli/ui/app.js'
import type { Picture } from '../../../src/cli/ui/picture.js'
import { eventually } from '../../setup/eventually.js'
import { originOf } from './mounting.js'

type Looker = Parameters<typeof appOf>[0]['looker']

/** The page with these pictures, at that port of this machine. */
async function served(pictures: Looker['pictures']): Promise<number> {
  const app = appOf({
    ...{ looker: { pages: 0, pictures }, told: String, server: '', files: new Map() },
    ...{ access: 'this machine', unlocker: undefined },
  })
  const http = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
  onTestFinished(() => void http.close())
  return Number(new URL(await originOf(http)).port)
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

/** Large pictures, one after the other: how many were made, and whether they have ended. */
async function servedWithoutEnd() {
  const counts = { made: 0, ended: false }
  const port = await served(async function* (_subject, _after, signal) {
    try {
      while (!signal.aborted) {
        counts.made += 1
        yield pictureOf(`${counts.made} ${'x'.repeat(1_048_576)}`)
      }
    } finally {
      counts.ended = true
    }
  })
  return { counts, port }
}

it('pictures wait for a page that does not read, and end with it', async () => {
  const { counts, port } = await servedWithoutEnd()
  const socket = deafTo(port)
  let [before, still] = [0, 0]
  // What the kernel holds for a reader is some megabytes.
  await eventually(
    () => counts.made,
    (now) => {
      still = now === before ? still + 1 : 0
      before = now
      return now > 0 && still > 100
    },
  )
  expect(counts.made).toBeLessThan(40)
  socket.resume()
  await eventually(() => counts.made > 60, Boolean, 30_000)
  socket.destroy()
  await eventually(() => counts.ended)
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
  const { counts, port } = await servedWithoutEnd()
  const socket = deafTo(port)
  await eventually(() => counts.made > 1)
  socket.destroy()
  await eventually(() => counts.ended)
})
