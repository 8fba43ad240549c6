import type { Hold, Holdfast, LockState } from '../../src/index.js'

interface Permits {
  readonly name: string
  trySetPermits(permits: number): Promise<boolean>
  addPermits(permits: number): Promise<void>
  availablePermits(): Promise<number>
  acquire(options?: { permits?: number; leaseMs?: number }): Promise<Hold>
  tryAcquire(options?: { permits?: number }): Promise<Hold | null>
  countWaitingClients(): Promise<number | undefined>
  inspect(): Promise<LockState>
}

export interface PermitsKind {
  readonly kind: 'RSemaphore' | 'RPermitExpirableSemaphore'
  readonly orders: 'semaphore' | 'permits'
  /** What Redisson is told beside how many permits it is to take. */
  readonly lease: readonly number[]
  handle(holdfast: Holdfast, name: string): Permits
}
