export type { ServiceOptions } from '../service/service.js'
export { type FastifyHoldfastOptions, fastifyHoldfast } from './plugin.js'
