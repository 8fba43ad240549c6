import { Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import { bringServer } from './test/servers/index.js'
import * as scripts from './src/redis/scripts.generated.js'
const P = Number(process.argv[2] ?? 8), MS = Number(process.argv[3] ?? 3000), HOLD = Number(process.argv[4] ?? 1)
const server = await bringServer({ flavour: process.env.FLAVOUR as never ?? 'redis-7.0' as never })
const port = server.port
const KEYS = ['l', 'holdfast_line:{l}', 'holdfast_processes:{l}']
const CONST = ['PUBLISH', 'holdfast:', '', 'redisson_lock__channel:{l}', '25']
let inside = 0, worst = 0, sections = 0, commands = 0, messages = 0
const per: number[] = []
class Client {
  id = randomUUID(); n = 0; cmd = new Redis(port, '127.0.0.1'); sub = new Redis(port, '127.0.0.1')
  waiting = new Map<string, (m: string) => void>()
  async start() { await this.sub.subscribe('holdfast:' + this.id); this.sub.on('message', (_c, m) => { messages++; this.waiting.get(m.split(' ').length > 2 ? m.split(' ')[2]! : m.split(' ')[0]!)?.(m) }) }
  run(s: { source: string; sha1: string }, args: (string | number)[]) { commands++; return this.cmd.evalsha(s.sha1, 3, ...KEYS, ...CONST, ...args).catch((e) => { if (String(e).includes('NOSCRIPT')) return this.cmd.eval(s.source, 3, ...KEYS, ...CONST, ...args); throw e }) }
  async section() {
    const owner = `${this.id}:${++this.n}`
    const told = new Promise<string>((r) => this.waiting.set(owner, r))
    const r = await this.run(scripts.acquire, [owner, 0, 30000, 5000, 5000])
    if (Array.isArray(r)) { const m = await told; if (m.split(' ').length < 3) throw new Error('look ' + m) }
    this.waiting.delete(owner)
    inside++; worst = Math.max(worst, inside)
    await new Promise((r) => setTimeout(r, HOLD))
    inside--; sections++
    const x = await this.run(scripts.release, [owner, 1, '0'])
    if (x !== 1) throw new Error('release ' + x)
  }
}
const clients = Array.from({ length: P }, () => new Client())
await Promise.all(clients.map((c) => c.start()))
const end = Date.now() + MS
await Promise.all(clients.map(async (c, i) => { per[i] = 0; while (Date.now() < end) { await c.section(); per[i]!++ } }))
console.log({ P, sections, worst, commandsPerSection: commands / sections, messagesPerSection: messages / sections, min: Math.min(...per), max: Math.max(...per) })
console.log(await clients[0]!.cmd.keys('*'))
for (const c of clients) { c.cmd.disconnect(); c.sub.disconnect() }
await server.stop()
