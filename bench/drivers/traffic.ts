import type { Done } from './order.js'
import type { Place } from './place.js'

/** What was counted in this process. What is absent the server counts, or nobody. */
export type Counts = Pick<Done, 'commands' | 'messages' | 'roundTrips'>

/** Begins to count, before the first connection. Only what the place needs is loaded. */
export async function counterFor({ system = 'Redis', port, servers = [] }: Place): Promise<() => Counts> {
  if (system === 'Redis') {
    const { SentCommands } = await import('./sent-commands.js')
    const { DeliveredMessages } = await import('./delivered-messages.js')
    const sent = new SentCommands()
    const delivered = new DeliveredMessages()
    return () => ({ commands: sent.count, messages: delivered.count })
  }
  if (system === 'files') {
    const { SqliteStatements } = await import('./sqlite-statements.js')
    const statements = new SqliteStatements()
    return () => ({ commands: statements.count })
  }
  const { RoundTrips } = await import('./round-trips.js')
  const trips = new RoundTrips([port, ...servers.map((server) => Number(server.split(':').at(-1)))])
  if (system !== 'PostgreSQL') return () => ({ roundTrips: trips.count })
  const { Notifications } = await import('./notifications.js')
  const notifications = new Notifications()
  return () => ({ roundTrips: trips.count, messages: notifications.count })
}

export function since(before: Counts, after: Counts): Counts {
  return {
    ...(after.commands !== undefined && { commands: after.commands - (before.commands ?? 0) }),
    ...(after.messages !== undefined && { messages: after.messages - (before.messages ?? 0) }),
    ...(after.roundTrips !== undefined && { roundTrips: after.roundTrips - (before.roundTrips ?? 0) }),
  }
}
