export type { ObservedClient } from '../trace/listener.js'
export type { GroupOf } from '../trace/shown-name.js'
export { type InstrumentOptions, instrument } from './instrument.js'
