/** `holdfast/ui` in real applications, behind their login, asked over HTTP. */
import { once } from 'node:events'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { type Freed, type UiOptions, ui } from '../../../src/cli/ui/index.js'
import { InvalidArgumentError } from '../../../src/index.js'
import { MemoryStore } from '../../../src/stores/memory/index.js'
import { eventually } from '../../setup/eventually.js'
import { AUTHORIZATION, express, frameworks, mounted } from './mounting.js'

/** Reads events until one matches, and leaves. */
async function event(url: string, matches: (text: string) => boolean): Promise<string> {
  const gone = new AbortController()
  const { body } = await fetch(url, { headers: { Authorization: AUTHORIZATION }, signal: gone.signal })
  if (!body) throw new Error('nothing is sent')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!matches(text)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the events ended: ${text}`)
    text += value
  }
  gone.abort()
  await reader.cancel().catch(() => undefined)
  return text
}

describe.each(frameworks)('holdfast/ui in %s', (...framework) => {
  it('is the application’s to let anybody through', async () => {
    const { origin, looks } = await mounted(framework)
    const before = looks()
    for (const path of ['', '/', '/lock?name=x', '/page.js', '/events'])
      expect((await fetch(`${origin}/admin/locks${path}`, { redirect: 'manual' })).status).toBe(401)
    expect((await fetch(`${origin}/admin/locks/unlock`, { method: 'POST' })).status).toBe(401)
    expect(looks()).toBe(before)
    if (framework[0] !== 'Nest') expect(await (await fetch(origin)).text()).toBe('the shop')
  })

  it('finds its files beside it, with or without the slash, and nothing else', async () => {
    const { origin } = await mounted(framework)
    const ask = (path: string) => fetch(`${origin}${path}`, { headers: { Authorization: AUTHORIZATION } })
    const page = await ask('/admin/locks?filter=x')
    expect(page.url).toBe(`${origin}/admin/locks/?filter=x`)
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'/)
    const files = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file)
    expect(files).toEqual(['icon.svg', 'page.css', 'page.js'])
    for (const file of files) expect((await ask(`/admin/locks/${file}`)).status).toBe(200)
    for (const file of ['package.json', '..%2fpackage.json', 'page.css/x.js'])
      expect((await ask(`/admin/locks/${file}`)).status).toBe(404)
  })

  it('shows what is held, frees it when that is allowed, and looks no more when nobody does', async () => {
    const freed: Freed[] = []
    const onUnlock = (each: Freed): unknown => JSON.parse(`{${freed.push(each)}`)
    const warned = once(process, 'warning')
    const options: UiOptions = { allowUnlock: true, onUnlock }
    const { origin, holdfast, looks } = await mounted(framework, options)
    await holdfast.lock('invoice:42').acquire()
    const events = `${origin}/admin/locks/events`
    await event(`${events}?filter=voice`, (text) => text.includes('"held":true'))
    const told = await event(`${events}?name=invoice:42`, (text) => text.includes('"unlock":{'))
    const { kind, holders } = JSON.parse(/"unlock":(\{[^}]*\})/.exec(told)?.[1] ?? '{}')
    const unlock = (headers: { [name: string]: string }): Promise<Response> =>
      fetch(`${origin}/admin/locks/unlock`, {
        method: 'POST',
        headers: { Authorization: AUTHORIZATION, ...headers },
        body: new URLSearchParams({ name: 'invoice:42', kind, holders }),
      })
    expect((await unlock({ Origin: 'http://attacker.example' })).status).toBe(403)
    expect(await holdfast.lock('invoice:42').isLocked()).toBe(true)
    // Behind a proxy that ends TLS the program’s own address is another than the browser’s.
    const done = await unlock({ Origin: 'https://shop.example', 'Sec-Fetch-Site': 'same-origin' })
    expect([done.status, await done.text()]).toEqual([200, 'Lock "invoice:42" is free.'])
    expect(await holdfast.lock('invoice:42').isLocked()).toBe(false)
    expect(await warned).toMatchObject([{ name: 'SyntaxError' }])
    expect(freed).toMatchObject([{ name: 'invoice:42', kind: 'lock', unlocked: true }])
    let [before, atMs] = [looks(), performance.now()]
    await eventually(
      () => looks(),
      (now) => {
        if (now !== before) [before, atMs] = [now, performance.now()]
        return performance.now() - atMs > 1_600
      },
    )
  })
})

it('frees nothing unless that is allowed', async () => {
  const { origin, holdfast } = await mounted(express)
  await holdfast.lock('invoice:42').acquire()
  const answer = await fetch(`${origin}/admin/locks/unlock`, {
    method: 'POST',
    headers: { Authorization: AUTHORIZATION, Origin: origin },
    body: new URLSearchParams({ name: 'invoice:42', kind: 'lock', holders: '' }),
  })
  expect(answer.status).toBe(404)
  expect(await holdfast.lock('invoice:42').isLocked()).toBe(true)
})

it('shows what a client of the application does, where one is given', async () => {
  let acquired = 40
  const metrics = () => {
    acquired += 1
    return { acquired, contended: 3, timedOut: 0 }
  }
  const [without, given] = [await mounted(express), await mounted(express, { client: { metrics } })]
  const events = ({ origin }: { origin: string }) => `${origin}/admin/locks/events`
  expect(await event(events(without), (text) => text.includes('"isAll":true'))).toContain('"traffic":null')
  const told = await event(events(given), (text) => /"acquired":\[[\d,]*[1-9]/.test(text))
  expect(told).toContain('"contended":[0')
})

it('refuses options that are none', () => {
  const given = [
    { allowUnlocks: true },
    { allowUnlock: 'false' },
    { onUnlock: 1 },
    { client: {} },
    { server: 5 },
  ]
  for (const options of given)
    expect(() => ui(new MemoryStore(), Object(options))).toThrow(InvalidArgumentError)
  expect(() => ui(new MemoryStore(), { historyMs: 86_400_001 })).toThrow(/at most 86400000, a day/)
})
