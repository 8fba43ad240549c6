/** The suite that other stores are tested with, on the store in memory: nothing of it is left out there but what needs real time. */
import { conformance } from '../../src/conformance/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'

const clock = new VirtualClock()
const store = new MemoryStore(clock)
conformance({ name: 'memory', open: () => store, clock })
