/** The page on every store that the command line reaches: the holder, the waiter where the store knows it, the list, freeing a lock; deadlocks. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Server } from '../../../src/cli/server.js'
import { slotOf } from '../../../src/stores/redis/keys/slot.js'
import { parseServerUrl } from '../../../src/stores/url/server-address.js'
import { ringOf } from '../../deadlock/ring.js'
import { execute } from '../../setup/sql-script.js'
import { jsonLines } from '../json.js'
import { useProgram } from '../program.js'
import { type Can, otherStores, redisUrls, type Where } from '../where.js'
import { serve } from './serving.js'

const redis: ReadonlyArray<readonly [string, () => Promise<Where>, Can]> = [
  ['Redis Cluster', async () => ({ url: redisUrls.cluster(), stop: () => undefined }), {}],
  ['Redis Sentinel', async () => ({ url: redisUrls.sentinel(), stop: () => undefined }), {}],
]

describe.each([...redis, ...otherStores])(
  'holdfast ui on %s',
  { timeout: 60_000 },
  (_, bring, { lists = true, schema, namesNobody, waitersUnknown, keepsEdges = true }) => {
    const program = useProgram()
    const undo: Array<() => unknown> = []
    let where: Where
    beforeAll(async () => {
      where = await bring()
      if (schema) await execute(where.url, (await program.run(['schema', schema])).stdout)
    }, 120_000)
    afterEach(async () => {
      for (const each of undo.splice(0)) await each()
    })
    afterAll(() => where?.stop())

    test('a lock is shown with its holder, its waiter and what becomes of it, and is freed', async () => {
      const { url } = where
      const name = `ui:${process.pid}:${Date.now()}`
      const held = program.start(['--url', url, 'run', name, '-v', '--', 'sleep', '600'])
      await held.says('got lock')
      const waiting = program.start(['--url', url, 'run', name, '-v', '--', 'true'])
      await waiting.says('waiting for')
      const { url: page, running } = await serve(program, url, ['--allow-unlock'])
      const seen = new Page(`${page}events?name=${name}`)
      undo.push(() => seen.close())
      const shown = await seen.until((picture) => picture.rows.some((row) => row.held && row.waiting !== 0))
      expect(shown.rows[0]?.waiting).toBe(waitersUnknown ? null : 1)
      expect(shown.rows[0]?.holders.named.map(({ who }) => who).join()).toContain(
        namesNobody ? 'connection:' : String(held.child.pid),
      )
      const list = new Page(`${page}events?filter=ui:*`)
      undo.push(() => list.close())
      const listed = await list.until(({ rows, trouble }) => rows.length > 0 || trouble !== null)
      if (lists) expect(listed.rows.map((row) => row.name)).toContain(name)
      else
        expect(listed.trouble).toBe(
          'This store cannot list its locks. Ask for one by its name: holdfast inspect NAME.',
        )
      const { kind, holders } = shown.rows[0]?.unlock ?? { kind: '', holders: '' }
      const answer = await fetch(`${page}unlock`, {
        method: 'POST',
        headers: { Origin: new URL(page).origin },
        body: new URLSearchParams({ name, kind, holders }),
      })
      expect(await answer.text()).toBe(`Lock "${name}" is free.`)
      expect(answer.status).toBe(200)
      await waiting.outcome
      const { changes } = await seen.until((picture) => picture.changes.length > 0)
      expect(changes[0]?.text).toMatch(/was released, or freed by force|passed from/)
      expect(running.stdout + running.stderr).not.toMatch(/secret|password/)
      expect(jsonLines(running.stdout)).toHaveLength(1)
      held.child.kill('SIGTERM')
    })

    test.runIf(keepsEdges)('K2: a deadlock is named, in a cluster over locks of three masters', async () => {
      const { url } = where
      const names = namesInThirds(`ring:${process.pid}:${Date.now()}`)
      const clients = await Promise.all(
        ['web-1', 'web-2', 'batch'].map(async (label) => {
          const server = await Server.at(parseServerUrl(url), '', { label })
          undo.push(() => server[Symbol.asyncDispose]())
          return server.family
        }),
      )
      const ring = await ringOf(
        clients.map((holdfast, index) => ({
          holdfast,
          first: holdfast.lock(names[index] ?? ''),
          second: holdfast.lock(names[(index + 1) % 3] ?? ''),
        })),
      )
      const { url: page } = await serve(program, url)
      const list = new Page(`${page}events?filter=ring:*`)
      undo.push(() => list.close())
      const { deadlocks, rows } = await list.until((picture) => picture.deadlocks.length > 0)
      expect(rows.map((row) => row.name).sort()).toEqual([...names].sort())
      expect(deadlocks.map((cycle) => cycle.map(({ text }) => text).sort())).toEqual([
        ['web-1', 'web-2', 'batch']
          .map(
            (label, index) =>
              `${label} holds the lock ${names[index]} and waits for the lock ${names[(index + 1) % 3]}.`,
          )
          .sort(),
      ])
      const { code, stdout } = await program.run(['deadlocks', '--url', url])
      expect(code).toBe(2)
      expect(stdout).toContain('Deadlock of 3:')
      for (const each of ['web-1', 'web-2', 'batch']) expect(stdout).toContain(`${each} (`)
      await Promise.all(clients.map((client) => client.close()))
      await Promise.all(ring.sections)
    })
  },
)

function namesInThirds(prefix: string): readonly string[] {
  const third = (name: string): number => Math.floor((slotOf(name) * 3) / 16_384)
  const many = Array.from({ length: 100 }, (_, index) => `${prefix}:${index}`)
  return [0, 1, 2].flatMap((wanted) => many.find((name) => third(name) === wanted) ?? [])
}

interface Seen {
  readonly rows: ReadonlyArray<{
    readonly name: string
    readonly held: boolean
    readonly waiting: number | null
    readonly holders: { readonly named: ReadonlyArray<{ readonly who: string }> }
    readonly unlock: { readonly kind: string; readonly holders: string } | null
  }>
  readonly trouble: string | null
  readonly deadlocks: ReadonlyArray<ReadonlyArray<{ readonly text: string }>>
  readonly changes: ReadonlyArray<{ readonly text: string }>
}

class Page {
  readonly #closed = new AbortController()
  #text = ''
  #reader: Promise<ReadableStreamDefaultReader<string>>

  constructor(url: string) {
    this.#reader = fetch(url, { signal: this.#closed.signal }).then(({ body }) => {
      if (!body) throw new Error('nothing is sent')
      return body.pipeThrough(new TextDecoderStream()).getReader()
    })
  }

  async until(matches: (picture: Seen) => boolean): Promise<Seen> {
    const reader = await this.#reader
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const picture: Seen = JSON.parse(this.#text.slice('data: '.length, end))
        this.#text = this.#text.slice(end + 2)
        if (matches(picture)) return picture
        continue
      }
      const { done, value } = await reader.read()
      if (done) throw new Error('the page has ended')
      this.#text += value
    }
  }

  close(): void {
    this.#reader.catch(() => undefined)
    this.#closed.abort()
  }
}
