import { Injectable, Module } from '@nestjs/common'
import { HoldfastModule, Lock } from 'holdfast/nestjs'
import { nodeRedis } from 'holdfast/node-redis'
import { createClient } from 'redis'

@Injectable()
export class Invoices {
  /** One of all that call it at the same time runs at a time. */
  @Lock(`${process.env.LOCK_NAME}:{0}`)
  async settle(_id: string, work: () => Promise<number>): Promise<number> {
    return await work()
  }
}

@Module({
  imports: [HoldfastModule.forRoot({ store: nodeRedis(createClient({ url: process.env.REDIS_URL })) })],
  providers: [Invoices],
})
export class InvoicesModule {}
