// What a process sees that has loaded both forms of the package, as Plug'n'Play on Node 20 has it.
import { createRequire } from 'node:module'

const { Holdfast, locked } = await import('./node_modules/holdfast/dist/index.js')
const { MemoryStore } = await import('./node_modules/holdfast/dist/memory/index.js')
const required = createRequire(import.meta.url)('./node_modules/holdfast/dist/cjs/index.js')
const [one, other] = [new Holdfast(new MemoryStore()), new required.Holdfast(new MemoryStore())]
try {
  one.multiLock([one.lock('a'), other.lock('b')])
} catch (error) {
  console.log(`${error.name}: ${error.message}`)
}
const method = locked(other, 'c')(() => other.lock('c').isLocked(), { kind: 'method' })
console.log(await method.call({}))
await Promise.all([one.close(), other.close()])
