const { Holdfast, LockTimeoutError } = require('holdfast')
const { MemoryStore } = require('holdfast/memory')

async function main() {
  const holdfast = new Holdfast(new MemoryStore())
  const lock = holdfast.lock('job')
  const nested = await lock.withLock(() => lock.withLock(() => lock.holdCount()))
  const hold = await lock.acquire()
  const refused = await lock.acquire({ waitMs: 20 }).catch((error) => error instanceof LockTimeoutError)
  await hold.release()
  await holdfast.close()
  console.log(JSON.stringify({ nested, refused }))
}

void main()
