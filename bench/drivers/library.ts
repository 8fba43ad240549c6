import type { Order } from './order.js'

/** What runs inside a section; `undefined` when it is over at once. */
export type Body = () => Promise<void> | undefined

/** One library of locks, as a driver sees it. Made by the file of that name in `libraries/`. */
export interface Library {
  readonly version: string
  /** Takes the lock of that key, waiting for as long as it takes; runs the body; gives the lock back. */
  section(key: string, body: Body): Promise<unknown>
  /** The same with `depth` holds of the one lock within each other. Absent where the library has no reentry. */
  nested?(key: string, depth: number, body: Body): Promise<unknown>
  close(): Promise<unknown>
}

/** Most look only for the place in the order. */
export type Open = (order: Order) => Library | Promise<Library>
