import { Command, InvalidArgumentError, Option } from 'commander'
import { nemeses } from './nemeses/catalogue.js'
import type { Nemesis } from './nemeses/nemesis.js'
import { type Kind, kinds } from './program/kinds.js'
import { type ChaosClient, chaosClients } from './redis-clients.js'
import {
  coordinationTopologies,
  databaseTopologies,
  redisTopologies,
  type TopologyName,
  topologyNames,
} from './topologies/topology.js'

export interface ChaosOptions {
  readonly kinds: readonly Kind[]
  readonly nemeses: readonly Nemesis[]
  readonly topologies: readonly TopologyName[]
  readonly seconds: number
  readonly episode: number
  readonly seed: number
  readonly mutants?: readonly string[] | boolean
  readonly json?: string
  readonly keep: boolean
  readonly linger: number | 'auto'
  readonly client: ChaosClient
}

export function parseOptions(argv: readonly string[]): ChaosOptions {
  const names = nemeses.map(({ name }) => name)
  const whole = numberOf('A whole number, 0 or more.', (value) => Number.isSafeInteger(value) && value >= 0)
  const anySeed = Date.now() % 1_000_000
  return new Command('npm run chaos --')
    .description(
      'Runs random programs under random faults and judges their histories. See docs/robustness.md.',
    )
    .option('--kinds <kinds>', 'kinds of lock, joined by commas', listOf(kinds), [...kinds])
    .option('--nemeses <nemeses>', 'what goes wrong, joined by commas', nemesesOf, [...nemeses])
    .option(
      '--topologies <topologies>',
      'servers, joined by commas; `redis`, `databases` and `coordination` stand for several',
      topologiesOf,
      [...redisTopologies],
    )
    .option(
      '--seconds <seconds>',
      'for how long; the episode that runs then is the last',
      numberOf('A number, 0 or more.', (value) => value >= 0),
      60,
    )
    .option(
      '--episode <seconds>',
      'how long the load of an episode lasts',
      numberOf('A number above 0.', (value) => value > 0),
      8,
    )
    .option('--seed <seed>', 'of the first episode; the next has the next number', whole, anySeed)
    .option(
      '--mutants [mutants]',
      'whether broken versions of the library are caught: all, those named, or quick for a few',
      (text) => text.split(','),
    )
    .option('--json <file>', 'writes the figures to a file')
    .option(
      '--linger <milliseconds>',
      'how long locks linger (`lingerMs`), where they can; or `auto`',
      (text) => (text === 'auto' ? text : whole(text)),
      'auto',
    )
    .addOption(
      new Option('--client <client>', 'the client library of Redis: ioredis 6, or a node-redis')
        .choices(chaosClients)
        .default('ioredis-6'),
    )
    .option('--keep', 'keeps the histories', false)
    .addHelpText(
      'after',
      `\nkinds: ${kinds.join(', ')}\nnemeses: ${names.join(', ')}\ntopologies: ${topologyNames.join(', ')}`,
    )
    .parse([...argv], { from: 'user' })
    .opts<ChaosOptions>()
}

function listOf<Name extends string>(known: readonly Name[]): (text: string) => Name[] {
  return (text) =>
    text.split(',').map((word) => {
      const name = known.find((each) => each === word)
      if (name === undefined)
        throw new InvalidArgumentError(`There is no '${word}'; there are ${known.join(', ')}.`)
      return name
    })
}

function topologiesOf(text: string): TopologyName[] {
  return text.split(',').flatMap((word) => {
    if (word === 'redis') return redisTopologies
    if (word === 'databases') return databaseTopologies
    return word === 'coordination' ? coordinationTopologies : listOf(topologyNames)(word)
  })
}

function nemesesOf(text: string): Nemesis[] {
  const chosen = listOf(nemeses.map(({ name }) => name))(text)
  return nemeses.filter(({ name }) => chosen.includes(name))
}

function numberOf(wanted: string, isGood: (value: number) => boolean): (text: string) => number {
  return (text) => {
    if (text.trim() === '' || !isGood(Number(text))) throw new InvalidArgumentError(wanted)
    return Number(text)
  }
}
