/** A release by one command, in a repository of its own. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './packed.js'

test('it gives changelog and package a version and tags them, once there is an address and something to tell', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-release-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const start = async (program: string, ...args: string[]): Promise<string> =>
    (await promisify(execFile)(program, args, { cwd: folder })).stdout
  const loader = join(root, 'node_modules/tsx/dist/loader.mjs')
  const script = (file: string, ...args: string[]): Promise<string> =>
    start(process.execPath, '--import', loader, `scripts/${file}.ts`, ...args)
  const commit = async (): Promise<void> => {
    await start('git', 'add', '-A')
    await start('git', 'commit', '--quiet', '--message', 'work')
  }
  const manifest = {
    name: 'holdfast-release-test',
    version: '0.1.0',
    type: 'module',
    repository: { url: 'git+https://github.com/OWNER/holdfast.git' },
  }
  await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n')
  await start('git', 'init', '--quiet')
  for (const what of ['name', 'email']) await start('git', 'config', `user.${what}`, 'a@b.c')
  await commit()

  await expect(script('release', 'minor')).rejects.toThrow('no public address yet')
  await script('address', 'https://github.com/acme/holdfast')
  await expect(script('release', 'minor')).rejects.toThrow('not committed')
  await commit()
  await expect(script('release', 'minor')).rejects.toThrow('nothing under Unreleased')
  await writeFile(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n- A lock.\n')
  await commit()

  expect(await script('release', 'minor')).toContain('git push --follow-tags')
  expect(await readFile(join(folder, 'CHANGELOG.md'), 'utf8')).toMatch(
    /^# Changelog\n\n## \[Unreleased\]\n\n## \[0\.2\.0\] - \d{4}-\d\d-\d\d\n\n- A lock\.\n$/,
  )
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    version: '0.2.0',
    repository: { url: 'git+https://github.com/acme/holdfast.git' },
  })
  expect(await start('git', 'tag')).toBe('v0.2.0\n')
  expect(await start('git', 'status', '--porcelain')).toBe('')
})
