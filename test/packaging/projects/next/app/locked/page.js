import { Holdfast } from 'holdfast'
import { MemoryStore } from 'holdfast/memory'

/* Made while the site is built, by the server's bundle. */
export default async function Page() {
  const lock = new Holdfast(new MemoryStore()).lock('page')
  const nested = await lock.withLock(() => lock.withLock(() => lock.holdCount()))
  return <p>{`held ${nested} times`}</p>
}
