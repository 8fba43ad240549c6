/**
 * The thread's program: renewals over its own connection. Built into one text by scripts/embed-watchdog-thread.ts, with
 * the client library, so that it needs no file and no package where it runs. Nothing else imports it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { Cluster, Redis } from 'ioredis'
import { SystemClock, sleepMeter } from '../../../base/time/clock.js'
import { Schedule } from '../../../base/time/schedule.js'
import { withoutQuarantine } from '../../../port/lease.js'
import { ClusterLink } from '../connection/cluster-link.js'
import type { Link, LinkListener } from '../connection/link.js'
import { StandaloneLink } from '../connection/standalone-link.js'
import { renewalOf, renewEach } from '../renewals/lease-renewals.js'
import type { ClientSettings } from './client-settings.js'
import { Heartbeat } from './heartbeat.js'
import type { Order, Report, ThreadSettings } from './messages.js'
import { applyNetworkDefaults } from './network-defaults.js'
import { tellFailure } from './told-failure.js'
import { type Renew, WatchList } from './watch-list.js'

const settings: ThreadSettings = workerData
applyNetworkDefaults(settings.network)

const report = (message: Report): void => parentPort?.postMessage(message)
const onError = (error: unknown): void => report({ kind: 'trouble', failure: tellFailure(error) })
const schedule = new Schedule(new SystemClock(sleepMeter()), onError)
const pattern = patternOf(settings.client)
const link = linkTo(pattern)
const { keyPrefix } = settings.client.options
const prefix = typeof keyPrefix === 'string' ? keyPrefix : ''
const { quarantineMs } = settings
/** The holder does not count on the quarantine: only the store keeps the lock so much longer. */
const renewQuarantined: Renew = (requests) =>
  renewEach(link, requests, (request) =>
    renewalOf[request.of](prefix, { ...request, leaseMs: request.leaseMs + quarantineMs }),
  ).map(async (answer) => withoutQuarantine(await answer, quarantineMs))
const list = new WatchList(settings, renewQuarantined, schedule, new Heartbeat(settings.heartbeat), report)

parentPort?.on('message', (orders: readonly Order[]) => {
  for (const order of orders) {
    // Its connections read them from there.
    if (order.kind === 'credentials') Object.assign(keptIn(pattern), order.credentials)
    else list.carryOut(order)
  }
})

/** RESP2, which every server and every proxy speaks: a renewal's answer is a number in both. */
function patternOf(client: ClientSettings): Redis | Cluster {
  if (client.kind === 'standalone') return new Redis({ ...client.options, protocol: 2, lazyConnect: true })
  const { redisOptions, ...options } = client.options
  return new Cluster(client.startupNodes.map(startupNode), {
    ...options,
    lazyConnect: true,
    redisOptions: { ...Object(redisOptions), protocol: 2 },
  })
}

function keptIn(client: Redis | Cluster): object {
  return client instanceof Cluster ? Object(client.options.redisOptions) : client.options
}

function linkTo(client: Redis | Cluster): Link {
  // This connection has no subscriptions.
  const listener: LinkListener = {
    message: () => undefined,
    resumed: () => undefined,
    refused: () => undefined,
    error: onError,
  }
  const { commandTimeoutMs } = settings
  return client instanceof Cluster
    ? new ClusterLink(client, schedule, commandTimeoutMs, listener)
    : new StandaloneLink(client, schedule, commandTimeoutMs, listener)
}

/** A node as the application gave it: a URL, a port, or options. */
function startupNode(node: unknown): string | number | object {
  return typeof node === 'string' || typeof node === 'number' ? node : Object(node)
}
