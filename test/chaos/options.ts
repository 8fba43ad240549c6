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
    .option('--seconds <seconds>', 'for how long; the episode that runs then is the last', notNegative, 60)
    .option('--episode <seconds>', 'how long the load of an episode lasts', positive, 8)
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
      wholeOrAuto,
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

function notNegative(text: string): number {
  return text.trim() === '0' ? 0 : positive(text)
}

function positive(text: string): number {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('A number above 0.')
  return Number(text)
}

function wholeOrAuto(text: string): number | 'auto' {
  return text === 'auto' ? text : whole(text)
}

function whole(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new InvalidArgumentError('A whole number, 0 or more.')
}
