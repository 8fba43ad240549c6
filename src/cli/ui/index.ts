export type { KindFlag } from '../kind-flag.js'
export { type FastifyScope, type Ui, type UiOptions, ui } from './mounted.js'
export type { Metered } from './traffic.js'
/** @internal The command line's way to it, which so is in the same file of the package. */
export { serveUi } from './ui.js'
export type { Freed } from './unlocker.js'
