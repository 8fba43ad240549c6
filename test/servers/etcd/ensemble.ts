import { PeerGate, type ReadHead } from '../peer-gate.js'
import { freePort } from '../port.js'
import { until } from '../until.js'
import { type EtcdOrder, EtcdServer } from './server.js'

const NAMES = ['one', 'two', 'three'] as const

/** Each member says who it is when it turns to another. */
const FROM = /^X-Server-From: ([0-9a-f]+)\r$/im

const readHead: ReadHead = (head) => {
  const text = head.toString('latin1')
  return text.includes('\r\n\r\n') ? { from: FROM.exec(text)?.[1] ?? '', head } : undefined
}

export class EtcdEnsemble {
  private constructor(
    readonly members: readonly EtcdServer[],
    private readonly gates: readonly PeerGate[],
    /** Those whom the others neither hear nor reach. */
    private readonly alone: Set<EtcdServer>,
  ) {}

  static async start(order: EtcdOrder = {}): Promise<EtcdEnsemble> {
    const members: EtcdServer[] = []
    const gates: PeerGate[] = []
    const alone = new Set<EtcdServer>()
    const memberOf = (id: string): EtcdServer | undefined => members.find(({ memberId }) => memberId === id)
    const peerPorts = await Promise.all(NAMES.map(() => freePort()))
    for (const [index, port] of peerPorts.entries()) {
      const admits = (from: string): boolean => {
        const [asks, asked] = [memberOf(from), members[index]]
        return !(asks && alone.has(asks)) && !(asked && alone.has(asked))
      }
      gates.push(await PeerGate.before(port, readHead, admits))
    }
    const cluster = NAMES.map((name, index) => `${name}=http://127.0.0.1:${gates[index]?.port}`).join()
    for (const [index, name] of NAMES.entries()) {
      const peerUrl = `http://127.0.0.1:${gates[index]?.port}`
      members.push(await EtcdServer.prepare(order, peerPorts[index] ?? 0, { name, peerUrl, cluster }))
    }
    const ensemble = new EtcdEnsemble(members, gates, alone)
    try {
      await Promise.all(members.map((member) => member.launch()))
      await Promise.all(members.map((member) => member.serves()))
    } catch (error) {
      await ensemble.stop()
      throw error
    }
    return ensemble
  }

  get urls(): string[] {
    return this.members.map(({ url }) => url)
  }

  async leader(of: EtcdServer | undefined = this.members[0]): Promise<EtcdServer> {
    return until(
      async () => {
        const id = /"leader":(\d+)/.exec((await of?.ctl('endpoint', 'status', '--write-out=json')) ?? '')?.[1]
        return this.members.find(({ memberId }) => memberId === BigInt(id ?? 0).toString(16))
      },
      { what: 'etcd has a leader' },
    )
  }

  async followers(): Promise<EtcdServer[]> {
    const leader = await this.leader()
    return this.members.filter((member) => member !== leader)
  }

  async moveLeader(to: EtcdServer): Promise<void> {
    const leader = await this.leader()
    await leader.ctl('move-leader', to.memberId)
  }

  /** The others neither hear nor reach it; clients do. */
  isolate(member: EtcdServer): void {
    this.alone.add(member)
    for (const gate of this.gates) gate.review()
  }

  heal(): void {
    this.alone.clear()
  }

  async stop(): Promise<void> {
    for (const gate of this.gates) gate.stop()
    await Promise.all(this.members.map((member) => member.stop()))
  }
}
