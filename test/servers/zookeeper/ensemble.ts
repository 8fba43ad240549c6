import { Ensemble } from '../ensemble.js'
import type { ReadHead } from '../peer-gate.js'
import { freePort } from '../port.js'
import { until } from '../until.js'
import { type ZooKeeperOrder, ZooKeeperServer, type ZooKeeperSettings } from './server.js'

const IDS = [1, 2, 3] as const

/** A follower tells the leader first what packet this is, and when; then, behind a length, who it is. */
const readFollower: ReadHead = (head) =>
  head.length < 24 ? undefined : { from: String(head.readBigInt64BE(16)), head }

/** Who votes tells first by which version it speaks, then who it is, and where it listens: there it is called back, past no gate. */
function readVoter(gateOf: (id: number) => number): ReadHead {
  return (head) => {
    if (head.length < 20 || head.length < 20 + head.readInt32BE(16)) return undefined
    const from = String(head.readBigInt64BE(8))
    const address = Buffer.from(`127.0.0.1:${gateOf(Number(from))}`)
    const length = Buffer.alloc(4)
    length.writeInt32BE(address.length)
    const rest = head.subarray(20 + head.readInt32BE(16))
    return { from, head: Buffer.concat([head.subarray(0, 16), length, address, rest]) }
  }
}

/** Three ZooKeeper servers that agree with each other; a majority of two goes on without the third. */
export class ZooKeeperEnsemble extends Ensemble<ZooKeeperServer> {
  static async start(order: ZooKeeperOrder = {}): Promise<ZooKeeperEnsemble> {
    const ensemble = new ZooKeeperEnsemble()
    const { members } = ensemble
    const memberOf = (id: string): ZooKeeperServer | undefined => members[Number(id) - 1]
    const ports: Array<{ readonly [way in 'own' | 'gate']: { lead: number; vote: number } }> = []
    for (const id of IDS) {
      const own = { lead: await freePort(), vote: await freePort() }
      const owner = (): ZooKeeperServer | undefined => members[id - 1]
      const gateOf = (voter: number): number => ports[voter - 1]?.gate.vote ?? 0
      const lead = await ensemble.gateBefore(own.lead, owner, readFollower, memberOf)
      const vote = await ensemble.gateBefore(own.vote, owner, readVoter(gateOf), memberOf)
      ports.push({ own, gate: { lead: lead.port, vote: vote.port } })
    }
    for (const id of IDS) {
      const peers: Record<string, string> = {}
      for (const [index, { own, gate }] of ports.entries()) {
        const { lead, vote } = index === id - 1 ? own : gate
        peers[`server.${index + 1}`] = `127.0.0.1:${lead}:${vote}`
      }
      const settings: ZooKeeperSettings = { initLimit: 100, syncLimit: 20, ...peers, ...order.settings }
      members.push(await ZooKeeperServer.prepare({ ...order, id, settings }))
    }
    return await ensemble.started()
  }

  get addresses(): readonly string[] {
    return this.members.map(({ address }) => address)
  }

  /** The member that leads, and those that follow it; waits until all that run do either. */
  async parts(): Promise<{ leader: ZooKeeperServer; followers: readonly ZooKeeperServer[] }> {
    return await until(
      async () => {
        const modes = await Promise.all(this.members.map((member) => member.mode().catch(() => undefined)))
        const leader = this.members[modes.indexOf('leader')]
        const followers = this.members.filter((_, index) => modes[index] === 'follower')
        // One that has been replaced takes itself for the leader for a while.
        const running = this.members.filter((member) => member.runs)
        return leader && followers.length === running.length - 1 && { leader, followers }
      },
      { what: 'the ensemble has a leader', withinMs: 60_000 },
    )
  }
}
