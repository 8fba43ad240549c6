import { Redis } from 'ioredis'
import type { Server } from './server.js'

/** The server the user named by `HOLDFAST_REDIS_URL`: used as it is, never stopped, paused or restarted. */
export class GivenServer implements Server {
  readonly how = 'url'
  readonly pid = undefined
  readonly host: string
  readonly port: number
  readonly pause = refusing('pause')
  readonly resume = refusing('resume')
  readonly kill = refusing('kill')
  readonly restart = refusing('restart')

  private constructor(
    readonly url: string,
    readonly version: string,
  ) {
    const { hostname, port } = new URL(url)
    this.host = hostname
    this.port = Number(port === '' ? 6379 : port)
  }

  static async reach(url: string): Promise<GivenServer> {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
    client.on('error', () => {})
    try {
      await client.connect()
      const info = await client.info('server')
      const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1]
      const redis = /^redis_version:(\S+)/m.exec(info)?.[1]
      return new GivenServer(url, valkey === undefined ? `Redis ${redis}` : `Valkey ${valkey}`)
    } catch (cause) {
      throw new Error('the server of HOLDFAST_REDIS_URL does not answer', { cause })
    } finally {
      client.disconnect()
    }
  }

  async stop(): Promise<void> {}
}

function refusing(what: string): () => Promise<never> {
  return () => Promise.reject(new Error(`will not ${what} the server of HOLDFAST_REDIS_URL: it is not ours`))
}
