import { Ensemble } from '../ensemble.js'
import type { ReadHead } from '../peer-gate.js'
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

export class EtcdEnsemble extends Ensemble<EtcdServer> {
  static async start(order: EtcdOrder = {}): Promise<EtcdEnsemble> {
    const ensemble = new EtcdEnsemble()
    const { members } = ensemble
    const memberOf = (id: string): EtcdServer | undefined => members.find(({ memberId }) => memberId === id)
    const seats = []
    for (const [index, name] of NAMES.entries()) {
      const port = await freePort()
      const gate = await ensemble.gateBefore(port, () => members[index], readHead, memberOf)
      seats.push({ name, port, peerUrl: `http://127.0.0.1:${gate.port}` })
    }
    const cluster = seats.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join()
    for (const { name, port, peerUrl } of seats)
      members.push(await EtcdServer.prepare({ ...order, name, peerPort: port, peerUrl, cluster }))
    return await ensemble.started()
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
}
