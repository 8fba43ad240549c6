export type { ObservedClient } from '../../observe/trace/listener.js'
export type { GroupOf } from '../../observe/trace/shown-name.js'
export { type ExposeOptions, expose } from './expose.js'
