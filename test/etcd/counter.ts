import type { EtcdClient } from '../../src/stores/etcd/client/client.js'

const about = { command: 'count' }

/** A number in etcd that nothing guards but the lock around its use. */
export class Counter {
  readonly #key: Buffer

  constructor(
    private readonly client: EtcdClient,
    key: string,
  ) {
    this.#key = Buffer.from(key)
  }

  async read(): Promise<number> {
    const { entries } = await this.client.range({ key: this.#key }, about)
    return Number(entries[0]?.value ?? 0)
  }

  /** Read, then written: two at once lose an update. */
  async increase(beforeWriting: () => void = () => undefined): Promise<void> {
    const value = Buffer.from(String((await this.read()) + 1))
    beforeWriting()
    await this.client.txn({ when: [], ifSo: [{ put: { key: this.#key, value, lease: 0n } }] }, about)
  }
}
