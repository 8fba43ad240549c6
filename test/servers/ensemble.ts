import { PeerGate, type ReadHead } from './peer-gate.js'
import type { ServerProgram } from './server-program.js'
import { orUndo } from './until.js'

/** Servers that agree with each other; what one sends to another passes a gate. */
export abstract class Ensemble<Member extends ServerProgram> {
  readonly members: Member[] = []
  readonly #gates: PeerGate[] = []
  /** Those whom the others neither hear nor reach. */
  readonly #alone = new Set<Member>()

  /** @param memberOf who calls itself so in what it sends */
  protected async gateBefore(
    port: number,
    owner: () => Member | undefined,
    readHead: ReadHead,
    memberOf: (from: string) => Member | undefined,
  ): Promise<PeerGate> {
    const isAlone = (member: Member | undefined): boolean => member !== undefined && this.#alone.has(member)
    const gate = await PeerGate.before(
      port,
      readHead,
      (from) => !isAlone(memberOf(from)) && !isAlone(owner()),
    )
    this.#gates.push(gate)
    return gate
  }

  /** Starts the members; of those that do not come to serve nothing is left. */
  protected async started(): Promise<this> {
    const stop = (): Promise<void> => this.stop()
    return await orUndo(stop, async () => {
      await Promise.all(this.members.map((member) => member.launch()))
      await Promise.all(this.members.map((member) => member.serves()))
      return this
    })
  }

  /** The others neither hear nor reach it; clients do. */
  isolate(member: Member): void {
    this.#alone.add(member)
    for (const gate of this.#gates) gate.review()
  }

  heal(): void {
    this.#alone.clear()
  }

  async stop(): Promise<void> {
    for (const gate of this.#gates) gate.stop()
    await Promise.all(this.members.map((member) => member.stop()))
  }
}
