import { expect, test } from 'vitest'
import { defaultSqliteFile } from '../../src/stores/sqlite/default-file.js'

test.each([
  ['linux', {}, '/home/me', '/home/me/.local/state/holdfast/locks.db'],
  ['linux', { XDG_STATE_HOME: '/state' }, '/home/me', '/state/holdfast/locks.db'],
  ['linux', { XDG_STATE_HOME: 'state' }, '/home/me', '/home/me/.local/state/holdfast/locks.db'],
  ['linux', { XDG_STATE_HOME: '' }, '/home/me', '/home/me/.local/state/holdfast/locks.db'],
  ['darwin', { XDG_STATE_HOME: '/' }, '/Users/me', '/Users/me/Library/Application Support/holdfast/locks.db'],
  ['win32', { LOCALAPPDATA: 'D:\\Local' }, 'C:\\Users\\me', 'D:\\Local\\holdfast\\locks.db'],
  ['win32', {}, 'C:\\Users\\me', 'C:\\Users\\me\\AppData\\Local\\holdfast\\locks.db'],
] as const)('on %s with %j', (system, environment, home, file) => {
  expect(defaultSqliteFile(system, environment, home)).toBe(file)
})
