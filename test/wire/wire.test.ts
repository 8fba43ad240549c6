import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listen } from '../servers/port.js'
import { eventually } from '../setup/eventually.js'
import { type Endpoint, Wire } from './wire.js'

let echo: Server
let wire: Wire
const clients: Socket[] = []

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket))
  wire = await Wire.before({ host: '127.0.0.1', port: await listen(echo) })
})

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  wire.stop()
  echo.close()
})

function client({ host, port }: Endpoint = wire): Socket {
  const socket = connect(port, host)
  socket.on('error', () => undefined)
  clients.push(socket)
  return socket
}

async function said(socket: Socket): Promise<string> {
  const [chunk] = await once(socket, 'data')
  return String(chunk)
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

/** What comes back of a word that is sent. */
function echoed(socket: Socket, word: string): Promise<string> {
  const heard = said(socket)
  socket.write(word)
  return heard
}

/** What has an answer by then would have had one on a wire that passes bytes. */
async function answered(socket: Socket, word: string): Promise<boolean> {
  const answer = echoed(socket, word).then(() => true)
  await echoed(client(), 'reference')
  return await Promise.race([answer, new Promise<false>((resolve) => setTimeout(() => resolve(false), 50))])
}

test('passes bytes, and later where it is told to delay them', async () => {
  const socket = client()
  expect(await echoed(socket, 'a')).toBe('a')
  wire.delayMs = 40
  // A turn of its own for each direction, in which what does not go by the wire is there already.
  const direct = client(wire.target)
  await once(direct, 'connect')
  const heard: string[] = []
  const late = echoed(socket, 'late').then((word) => heard.push(word))
  const early = echoed(direct, 'early').then((word) => heard.push(word))
  await Promise.all([late, early])
  expect(heard).toEqual(['early', 'late'])
})

test('what was sent first arrives first, when the delay ends meanwhile too', async () => {
  const socket = client()
  let heard = ''
  socket.on('data', (chunk) => {
    heard += String(chunk)
  })
  for (let round = 0; round < 20; round += 1) {
    heard = ''
    wire.delayMs = 10
    await new Promise<void>((resolve) => socket.write('a', () => resolve()))
    // The wire has it by then, in most rounds.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    wire.heal('delivered')
    socket.write('b')
    await eventually(() => heard.length === 2)
    expect(heard).toBe('ab')
  }
})

test('what is said in a silence is delivered late, in order, or lost with its connection', async () => {
  const socket = client()
  wire.silence('up')
  const heard = echoed(socket, 'a')
  socket.write('b')
  wire.heal('delivered')
  expect(await heard).toMatch(/^a/)
  wire.silence('down')
  const ended = closed(socket)
  socket.write('c')
  wire.heal('lost')
  await ended
})

test('a hushed connection says nothing for good, a new one is good', async () => {
  const socket = client()
  await echoed(socket, 'a')
  wire.hush()
  expect(await answered(socket, 'b')).toBe(false)
})

test('refuses new connections until it is healed', async () => {
  wire.refuse()
  await closed(client())
  wire.heal('lost')
  expect(await echoed(client(), 'a')).toBe('a')
})
