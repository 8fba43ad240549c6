/* A process that uses a lock on memcached, and has nothing to do afterwards. */
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { memcached } from '../../src/stores/memcached/index.js'

const holdfast = new Holdfast(memcached({ servers: [process.argv[2] ?? ''] }))
await (await holdfast.lock('idle').acquire()).release()
process.stdout.write('released')
