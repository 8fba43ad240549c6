export type { ObservedClient } from '../trace/listener.js'
export type { GroupOf } from '../trace/shown-name.js'
export { type ExposeOptions, expose } from './expose.js'
