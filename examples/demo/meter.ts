import type { Redis } from 'ioredis'

/**
 * What the lock sends. The statistics also count the commands inside scripts, which cost no round trip; these are none of
 * them, because no script of Holdfast uses one.
 */
const SENT = ['evalsha', 'eval', 'subscribe', 'unsubscribe', 'ssubscribe', 'sunsubscribe']

/** Counts the lock's commands on a Redis by its own statistics. On a server shared with others theirs are counted too. */
export class Meter {
  private constructor(
    private readonly redis: Redis,
    private readonly before: number,
  ) {}

  static async start(redis: Redis): Promise<Meter> {
    return new Meter(redis, await count(redis))
  }

  /** Commands since the start. */
  async read(): Promise<number> {
    return (await count(this.redis)) - this.before
  }
}

async function count(redis: Redis): Promise<number> {
  const info = await redis.info('commandstats')
  return SENT.map((command) =>
    Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(info)?.[1] ?? 0),
  ).reduce((sum, calls) => sum + calls, 0)
}
