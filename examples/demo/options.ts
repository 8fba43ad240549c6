import { parseArgs } from 'node:util'
import { type StoreName, stores } from './source.js'

/** What the demo is asked to do. */
export interface Options {
  /** Whether to do the work without the lock, and nothing else. */
  readonly withoutLock: boolean
  /** How long the workers work, all in all. */
  readonly workMs: number
  /** Where the locks are to be; undefined: Redis, or else a file. */
  readonly store: StoreName | undefined
  readonly help: boolean
}

export const usage = `npm start -- [options]

  --without-lock   do the same work without the lock: updates get lost, and the exit code says so
  --seconds N      how long the workers work (default 7); more if the killed holder's lock takes longer to move on
  --store NAME     where the locks are: redis (default), postgres, mysql, etcd, zookeeper, memcached or sqlite (a file; the default
                   where no Redis is to be had)
  --help           this text

HOLDFAST_REDIS_URL names a server to use; without it one is found or brought, and ended afterwards.`

/** The command line is not one of ours. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Reads the command line.
 *
 * @throws UsageError saying what is accepted.
 */
export function parseOptions(args: readonly string[]): Options {
  try {
    return parse(args)
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  }
}

function parse(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'without-lock': { type: 'boolean', default: false },
      seconds: { type: 'string', default: '7' },
      store: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const seconds = Number(values.seconds)
  if (!(seconds >= 1 && seconds <= 3_600)) {
    throw new RangeError(`--seconds is '${values.seconds}'; accepted: a number from 1 to 3600`)
  }
  const store = stores.find((name) => name === values.store)
  if (values.store !== undefined && !store)
    throw new RangeError(`--store is '${values.store}'; accepted: ${stores.join(', ')}`)
  return { store, withoutLock: values['without-lock'], workMs: seconds * 1_000, help: values.help }
}
