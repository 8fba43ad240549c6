/** Who may reach the page, and what it answers to others: asked as an attacker would, by hand-written requests. */
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, inject, it } from 'vitest'
import { tidiedPlace } from '../../setup/places.js'
import { serve, useProgram } from '../program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

const TOKEN = 'correct-horse-battery-staple'
const store = (): string => inject('servers').standalone.url

/** `fetch` sets some headers by itself, and refuses to send others. */
function ask(url: string, headers: Record<string, string> = {}, method = 'GET', body = '') {
  return new Promise<Answer>((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        // An answer that has no end.
        if (text.includes('"rows"') && (!url.includes('name=') || text.includes('"held":true')))
          asked.destroy()
      })
      response.on('close', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

type Answer = Readonly<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }>

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

describe('holdfast ui: wrong usage ends with 64 and the line to write', () => {
  it.each([
    ['another host without a token', 'HOLDFAST_UI_TOKEN=', '--host', '0.0.0.0'],
    ['a name that is not known to be this machine’s', 'HOLDFAST_UI_TOKEN=', '--host', 'localhost.example'],
    ['a short token', 'at least 16', '--token', 'short'],
    ['a token that no header can carry', 'letters, digits', '--token', 'ä token of many characters'],
    ['a history of more than a day', '--history 86400', '--history', '86401'],
    ['a port that is none', '0 to 65535', '--port', '65536'],
  ])('%s', async (_, says, ...args) => {
    const refused = { code: 64, stderr: expect.stringContaining(says) }
    expect(await program.run(['ui', ...args])).toMatchObject(refused)
  })

  it('a port that is taken ends with 69', async () => {
    const { url } = await serve(program, store())
    const taken = { code: 69, stderr: expect.stringContaining('--port 0') }
    expect(await program.run(['ui', '--port', new URL(url).port])).toMatchObject(taken)
  })
})

describe('holdfast ui without a token', () => {
  it('every answer forbids scripts of others, frames, referrers and copies', async () => {
    const { url } = await serve(program, store())
    for (const path of ['', 'lock?name=x', 'page.js', 'events', 'nothing', 'nothing.js']) {
      const { headers } = await ask(`${url}${path}`)
      const policy = /^default-src 'none'; script-src 'self'; style-src 'self';(?!.*unsafe)/
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(policy),
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store, no-transform',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  it('refuses names that an attacker leads here', async () => {
    const { url } = await serve(program, store())
    const { port } = new URL(url)
    const hosts = ['attacker.example', 'localhost.attacker.example', '127.0.0.1.attacker.example', '10.0.0.1']
    for (const host of hosts)
      for (const path of ['', 'events', 'page.js'])
        expect((await ask(`${url}${path}`, { Host: `${host}:${port}` })).status).toBe(403)
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect((await ask(url, { Host: `${host}:${port}` })).status).toBe(200)
  })

  it('is bound to this machine, reads no other file, and takes no long subject', async () => {
    const { url } = await serve(program, store())
    const others = ['..%2f..%2fpackage.json', '../../package.json', 'page.html', 'tsconfig.json']
    for (const path of [...others, 'https:%2f%2fattacker.example'])
      expect((await ask(`${url}${path}`)).status).toBe(404)
    expect((await ask(`${url}events?filter=${'x'.repeat(1_001)}`)).status).toBe(400)
    expect((await ask(`${url}events?name=`)).status).toBe(400)
  })

  it('an address without its slash leads to the page beside it, and to no other place', async () => {
    const { url } = await serve(program, store())
    const { port } = new URL(url)
    const sent = async (path: string): Promise<string> => {
      const socket = connect(Number(port), 'localhost')
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      let text = ''
      for await (const chunk of socket.setEncoding('utf8')) text += chunk
      return /^location: (.*)\r$/im.exec(text)?.[1] ?? ''
    }
    expect(await sent('/locks?filter=x')).toBe('./locks/?filter=x')
    expect(await sent('//attacker.example/')).toBe('')
    expect(await sent('//attacker')).toBe('./attacker/')
    expect(await sent('/https:attacker')).toBe('./https:attacker/')
  })

  it('is read-only', async () => {
    const name = place.lockName()
    const lock = place.holdfast().lock(name)
    await lock.acquire()
    const { url } = await serve(program, store())
    const body = new URLSearchParams({ name, kind: 'lock', holders: '' }).toString()
    const { origin } = new URL(url)
    expect((await ask(`${url}unlock`, { ...form, Origin: origin }, 'POST', body)).status).toBe(404)
    expect(await lock.isLocked()).toBe(true)
  })
})

describe('holdfast ui --allow-unlock', () => {
  it('frees nothing for other sites, whatever they can send', async () => {
    const name = place.lockName()
    const lock = place.holdfast().lock(name)
    await lock.acquire()
    const { url } = await serve(program, store(), ['--allow-unlock'])
    const { body } = await ask(`${url}events?name=${name}`)
    const { rows } = JSON.parse(/^data: (.*"held":true.*)$/m.exec(body)?.[1] ?? '{"rows":[]}')
    const { holders } = rows[0].unlock
    const right = new URLSearchParams({ name, kind: 'lock', holders }).toString()
    const { origin } = new URL(url)
    const post = (headers: Record<string, string>, content = right) =>
      ask(`${url}unlock`, headers, 'POST', content)
    for (const headers of [
      form,
      { ...form, Origin: 'http://attacker.example' },
      { ...form, Origin: 'null' },
      { ...form, Origin: origin.replace(/\d+$/, '1') },
      { ...form, Origin: 'http://attacker.example', 'Sec-Fetch-Site': 'cross-site' },
      { ...form, 'Sec-Fetch-Site': 'same-site' },
      { 'Content-Type': 'text/plain' },
    ])
      expect((await post(headers)).status).toBe(403)
    // A browser asks first whether it may send this, and is not told that it may.
    expect((await ask(`${url}unlock`, { Origin: 'http://attacker.example' }, 'OPTIONS')).status).toBe(404)
    expect((await post({ 'Content-Type': 'application/json' }, '{}')).status).toBe(400)
    expect((await ask(`${url}unlock?${right}`)).status).toBe(302)
    expect((await post({ ...form, Origin: origin }, `${right}${'x'.repeat(20_000)}`)).status).toBe(413)
    expect((await post({ ...form, Origin: origin }, 'name=x')).status).toBe(400)
    expect(await lock.isLocked()).toBe(true)
    const done = { status: 200, body: `Lock "${name}" is free.` }
    expect(await post({ ...form, Origin: origin })).toMatchObject(done)
    expect(await lock.isLocked()).toBe(false)
    expect((await post({ ...form, Origin: origin })).status).toBe(409)
  })
})

describe('holdfast ui with a token', () => {
  it('tells locks, and frees them, only for the token; the token is never in the output', async () => {
    const args = ['--host', '0.0.0.0', '--allow-unlock']
    const { url, running } = await serve(program, store(), args, { HOLDFAST_UI_TOKEN: TOKEN })
    const here = url.replace('0.0.0.0', '127.0.0.1')
    for (const headers of [
      {},
      { Authorization: 'Bearer not-the-token-at-all' },
      { Authorization: `Bearer ${TOKEN}x` },
      { Authorization: `Basic ${TOKEN}` },
      { Cookie: `token=${TOKEN}` },
    ]) {
      const { status, body } = await ask(`${here}events`, headers)
      expect([400, 401]).toContain(status)
      expect(body).not.toContain('rows')
      expect([400, 401]).toContain((await ask(`${here}unlock`, { ...form, ...headers }, 'POST')).status)
    }
    expect((await ask(`${here}events?token=${TOKEN}`)).status).toBe(401)
    const { status, body } = await ask(`${here}events`, { Authorization: `Bearer ${TOKEN}` })
    expect(status).toBe(200)
    expect(body).toContain('"rows"')
    expect(body).not.toContain(TOKEN)
    expect(running.stdout + running.stderr).not.toContain(TOKEN)
  })

  it('an empty one is none', async () => {
    const { code } = await program.run(['ui', '--host', '0.0.0.0'], { env: { HOLDFAST_UI_TOKEN: '' } })
    expect(code).toBe(64)
  })
})

describe('holdfast ui: its end', () => {
  it.each([
    ['SIGINT', 0],
    ['SIGTERM', 143],
  ] as const)('%s ends it with pages open, and one that reads nothing', async (signal, code) => {
    const { url, running } = await serve(program, store())
    const { port, hostname } = new URL(url)
    const deaf = connect(Number(port), hostname)
    deaf.write(`GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const { body } = await fetch(`${url}events`)
    const reader = body?.getReader()
    await reader?.read()
    expect((await running.endsBy(signal)).code).toBe(code)
    deaf.destroy()
    await reader?.cancel().catch(() => undefined)
  })
})
