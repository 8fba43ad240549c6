import { onTestFinished } from 'vitest'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { parseServers, Rota } from '../../src/stores/zookeeper/client/address.js'
import { type SessionTerms, ZooKeeperSession } from '../../src/stores/zookeeper/client/session.js'
import { type ZooKeeperOptions, zookeeper } from '../../src/stores/zookeeper/index.js'

/** What a test makes on servers; it ends with the test. */
export class Scene {
  /** Ends it with the test, before what was made earlier. */
  keep<Part extends { stop(): Promise<void> }>(part: Part): Part {
    onTestFinished(() => part.stop())
    return part
  }

  /** A client, as another process would have it. */
  holdfast(servers: ZooKeeperOptions | string | readonly string[], options: HoldfastOptions = {}): Holdfast {
    const where = typeof servers === 'object' && 'servers' in servers ? servers : { servers }
    const holdfast = new Holdfast(zookeeper(where), options)
    onTestFinished(() => holdfast.close())
    return holdfast
  }

  /** A session without locks: the client alone. */
  async session(
    servers: string | readonly string[],
    { timeoutMs = 4_000, ...terms }: Partial<SessionTerms> & { timeoutMs?: number } = {},
  ): Promise<ZooKeeperSession> {
    const schedule = new Schedule(new SystemClock(), (error) => {
      throw error
    })
    const session = new ZooKeeperSession(
      {
        rota: new Rota(parseServers(servers)),
        tls: undefined,
        identity: undefined,
        schedule,
        commandTimeoutMs: 3_000,
        onSuspended: () => undefined,
        onExpired: () => undefined,
        ...terms,
      },
      timeoutMs,
      0n,
    )
    await session.begin()
    // One whose server a test has ended is over by itself.
    onTestFinished(() => session.end().catch(() => undefined))
    return session
  }
}
