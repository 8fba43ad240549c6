/** The suite on a store as etcd and ZooKeeper are: sessions, a line kept by the server, leases of whole seconds. */
import { conformance } from '../../src/conformance/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { sessionTraits } from '../../src/stores/session/session.js'
import { Ensemble } from '../memory-session/ensemble.js'
import { MemorySessionStore } from '../memory-session/store.js'

const clock = new VirtualClock()
const store = new MemorySessionStore(new Ensemble(clock))
conformance({ name: 'memory-session', open: () => store, clock, traits: sessionTraits })
