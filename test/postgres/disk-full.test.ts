/** The disk of the server is full: what needs no room goes on, what needs some is refused for good, and all is well when there is room. */
import { execFile } from 'node:child_process'
import { chown, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { postgres, postgresSchema } from '../../src/stores/postgres/index.js'
import { Guard } from '../servers/guard.js'
import { duringAll } from '../setup/during.js'
import { lasting } from '../setup/lasting.js'
import { bringPostgres, missing, poolOf, title } from './server.js'

const run = promisify(execFile)
const table = 'narrow_locks'

describe.skipIf(missing)(`${title}: a full disk`, () => {
  const server = duringAll(bringPostgres)

  test('refuses new locks, and costs none that is held', async ({ skip }) => {
    const guard = await Guard.mount()
    onTestFinished(() => guard.dismiss())
    const { dir } = guard
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', dir]).catch(() =>
      skip('only root makes a disk to be filled'),
    )
    guard.undo(`umount -l ${dir}`)
    const { uid, gid } = await stat(server.address.dir)
    await chown(dir, uid, gid)
    const pool = poolOf(server.address)
    await pool.query(`CREATE TABLESPACE narrow LOCATION '${dir}'`)
    await pool.query(postgresSchema({ table }))
    await pool.query(`ALTER TABLE ${table} SET TABLESPACE narrow`)
    await pool.query(`ALTER INDEX ${table}_pkey SET TABLESPACE narrow`)
    const holdfast = new Holdfast(postgres(pool, { table }), { watchdogMs: lasting(1_500) })
    const hold = await holdfast.lock('held').acquire()
    const ballast = join(dir, 'ballast')
    await writeFile(ballast, Buffer.alloc(700_000))

    const filling = async (): Promise<void> => {
      for (let number = 0; number < 20_000; number += 1)
        await (await holdfast.lock(`another ${number}`).acquire()).release()
    }
    const refused = { code: 'STORE_ERROR', reason: 'out-of-memory', transient: false }
    await expect(filling()).rejects.toMatchObject(refused)
    for (let renewals = 0; renewals < 2; renewals += 1)
      await new Promise((resolve) => holdfast.once('renewed', resolve))
    hold.assertHeld()

    await rm(ballast)
    await (await holdfast.lock('another at last').acquire()).release()
    await hold.release()
    await holdfast.close()
    await pool.query(`DROP TABLE ${table}`)
    await pool.query('DROP TABLESPACE narrow')
    await pool.end()
  })
})
