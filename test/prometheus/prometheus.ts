import { Daemon } from '../servers/daemon.js'
import { unpackFromDebian } from '../servers/debian.js'
import { onPath } from '../servers/path.js'
import { until } from '../servers/until.js'

/** One series of the answer to a query. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [at: number, value: string]
}

/** A Prometheus that looks at one program each second. */
export class Prometheus {
  private constructor(private readonly daemon: Daemon) {}

  /** Why there can be none here; undefined where there can. */
  static async refusal(): Promise<string | undefined> {
    const found = (await onPath('prometheus')) ?? (await onPath('apt-get'))
    return found === undefined ? 'neither prometheus nor apt-get is here' : undefined
  }

  /** @param target where the metrics are: a host and port */
  static async start(target: string): Promise<Prometheus> {
    const path = await onPath('prometheus')
    const debian = { name: 'prometheus-bookworm', suite: 'bookworm', package: 'prometheus' }
    const { command } =
      path === undefined
        ? await unpackFromDebian({ ...debian, program: 'usr/bin/prometheus' })
        : { command: [path] as const }
    const daemon = await Daemon.start({
      command,
      args: (port) => [
        '--config.file=prometheus.yml',
        '--storage.tsdb.path=data',
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      files: () => ({ 'prometheus.yml': configuration(target) }),
    })
    // It listens before it answers: until it has read its store it says "Service Unavailable".
    const ready = async (): Promise<boolean> => (await fetch(`${daemon.url}/-/ready`)).ok
    await until(ready, { what: 'Prometheus is ready' })
    return new Prometheus(daemon)
  }

  /** Rejects with what is wrong with the query. */
  async query(query: string): Promise<readonly Series[]> {
    return (await this.#ask('query', new URLSearchParams({ query }))).data.result
  }

  /** How its last look at the program went: `up`, `down` or `unknown`, and why. */
  async health(): Promise<string> {
    const { data } = await this.#ask('targets', new URLSearchParams({ state: 'active' }))
    const [target] = data.activeTargets
    return target ? `${target.health} ${target.lastError}`.trim() : 'unknown'
  }

  async stop(): Promise<void> {
    await this.daemon.stop()
  }

  async #ask(what: string, parameters: URLSearchParams): Promise<Answer> {
    const response = await fetch(`${this.daemon.url}/api/v1/${what}?${parameters}`)
    const answer: Answer = JSON.parse(await response.text())
    if (answer.status !== 'success') throw new Error(`${parameters}: ${answer.error}`)
    return answer
  }
}

interface Answer {
  readonly status: string
  readonly error?: string
  readonly data: {
    readonly result: readonly Series[]
    readonly activeTargets: ReadonlyArray<{ readonly health: string; readonly lastError: string }>
  }
}

function configuration(target: string): string {
  return `
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: holdfast
    static_configs:
      - targets: ['${target}']
`
}
