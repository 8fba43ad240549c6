/* Events carry no asynchronous context from one to the next. An explicit owner connects them. */
import { EventEmitter, once } from 'node:events'
import process from 'node:process'
import { type Hold, Holdfast, type Owner } from 'holdfast'
import { Redis } from 'ioredis'

const redis = new Redis(process.env['HOLDFAST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')
const holdfast = new Holdfast(redis)
const lock = holdfast.lock('example:device')

/** An upload that begins in one event listener and ends in another. */
class Upload extends EventEmitter<{ begin: []; part: [number]; end: []; done: [] }> {
  readonly owner: Owner = holdfast.owner()
  hold: Hold | undefined
}

const upload = new Upload()

upload.on('begin', async () => {
  upload.hold = await lock.acquire({ owner: upload.owner })
  upload.emit('part', 1)
})

upload.on('part', async (number) => {
  // The same owner re-enters. Without { owner } this call would wait for ever for the upload to end.
  await lock.withLock({ owner: upload.owner }, async () => {
    console.log(`part ${number}, holds ${await lock.holdCount(upload.owner)}`)
  })
  if (number < 3) upload.emit('part', number + 1)
  else upload.emit('end')
})

upload.on('end', async () => {
  await upload.hold?.release()
  console.log(`locked after the end: ${await lock.isLocked()}`)
  upload.emit('done')
})

const done = once(upload, 'done')
upload.emit('begin')
await done

await holdfast.close()
redis.disconnect()
