import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Progress, thisOnce } from './progress.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** What is written to. */
function streamOf(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 }).setEncoding('utf8')
  let told = ''
  stream.on('data', (text: string) => {
    told += text
  })
  return { stream, told: () => told }
}

test('what takes long says what it does, then now and then how far it is, in plain lines', async () => {
  const { stream, told } = streamOf(false)
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-progress-'))
  await writeFile(join(folder, 'archive'), Buffer.alloc(3_000_000))
  let finish: (text: string) => void = () => undefined
  const work = new Promise<string>((resolve) => {
    finish = resolve
  })
  const done = thisOnce('fetching a server from afar', folder, () => work, stream)
  await vi.waitFor(() => expect(told()).not.toBe(''))
  expect(told()).toBe('holdfast: fetching a server from afar, this once\n')
  await vi.advanceTimersByTimeAsync(15_000)
  await vi.waitFor(() => expect(told()).toMatch(/afar: 15 s, 3 MB\n$/))
  finish('there')
  expect(await done).toBe('there')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told().split('\n')).toHaveLength(3)
  expect(told()).not.toContain('\u001b')
  await rm(folder, { recursive: true, force: true })
})

test('a terminal shows one line, which is redrawn, and is gone at the end', async () => {
  const { stream, told } = streamOf(true)
  let part = 0
  const progress = new Progress(stream, () => {
    part += 1
    return `part ${part}`
  })
  await vi.advanceTimersByTimeAsync(2_000)
  await vi.waitFor(() => expect(told()).toContain('part 2'))
  expect(told()).toContain('\u001b[')
  const before = told()
  progress.stop()
  await vi.waitFor(() => expect(told().slice(before.length)).toContain('\u001b[2K'))
})
