import type {
  AssignRequest,
  EntryWatch,
  Line,
  SessionGrant,
  SessionLink,
  StandRequest,
} from '../session/link.js'
import type { Ensemble } from './ensemble.js'

/** One client's way to an ensemble in its own process. */
export class MemoryLink implements SessionLink {
  constructor(private readonly ensemble: Ensemble) {}

  async begin(ttlMs: number): Promise<SessionGrant> {
    return this.ensemble.begin(ttlMs)
  }

  async keepAlive(session: string): Promise<boolean> {
    return this.ensemble.keepAlive(session)
  }

  async end(session: string): Promise<void> {
    this.ensemble.end(session)
  }

  async stand(request: StandRequest): Promise<Line | undefined> {
    return this.ensemble.stand(request)
  }

  async read(name: string): Promise<Line> {
    return this.ensemble.read(name)
  }

  async assign(request: AssignRequest): Promise<boolean> {
    return this.ensemble.assign(request)
  }

  async remove(name: string, key: string): Promise<boolean> {
    return this.ensemble.remove(name, key)
  }

  watch(name: string, key: string, onGone: () => void): EntryWatch {
    return this.ensemble.watch(name, key, onGone)
  }

  async *names(): AsyncIterable<string> {
    yield* this.ensemble.names()
  }

  close(): void {}
}
