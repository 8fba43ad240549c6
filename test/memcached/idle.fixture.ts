/* A process that uses a lock on memcached, and has nothing to do afterwards. */
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { memcached } from '../../src/stores/memcached/index.js'

await (await new Holdfast(memcached({ servers: [process.argv[2] ?? ''] })).lock('idle').acquire()).release()
process.stdout.write('released')
