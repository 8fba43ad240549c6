/** A store is loaded without the client libraries of applications that use another. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test.each(['postgres', 'mysql'])('importing holdfast/%s loads no client library', (store) => {
  const program = `import { createRequire } from 'node:module'
    await import('./src/stores/${store}/index.ts')
    console.log('done', Object.keys(createRequire(import.meta.url).cache).join(' '))`
  const args = ['--import=tsx', '--input-type=module', '--eval', program]
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stdout).toContain('done')
  expect(stdout).not.toMatch(/node_modules.(ioredis|pg|mysql2|mariadb)\b/)
})
