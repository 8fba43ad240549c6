/** When a process keeps a lock by itself, and for how long. */
import { describe, expect, test } from 'vitest'
import { Habit, Habits } from '../../src/core/tenure/habit.js'

/** Comes back after each of these gaps, with sections of 5 ms between them. */
function returning(gaps: readonly number[], habit = new Habit()): Habit {
  let now = 1_000
  for (const gap of gaps) {
    habit.left(now)
    now += gap
    habit.came(now)
    now += 5
  }
  return habit
}

const eight = (gap: number): number[] => Array(8).fill(gap)

describe('a habit', () => {
  test.each([
    ['nothing', [], 0],
    ['seven quick returns', eight(3).slice(1), 0],
    ['eight quick returns: twice the gap', eight(3), 6],
    ['no less than a timer can wait', eight(0), 1],
    ['the longest of the last gaps counts', [...eight(1), 10, 1], 18],
    ['and fades', [...eight(10), ...Array(40).fill(1)], 2],
    ['at the edge', eight(12), 24],
    ['eight late ones', eight(12.1), 0],
    ['a late one ends it', [...eight(1), 13], 0],
    ['and it begins anew after that', [...eight(11), 13, ...eight(1)], 2],
    ['not sooner', [...eight(11), 13, ...eight(1).slice(1)], 0],
  ])('after %s', (_, gaps, keepMs) => expect(returning(gaps).keepMs).toBeCloseTo(keepMs, 6))

  test('calls before the lock was left, and behind the first that came, say nothing', () => {
    const habit = new Habit()
    for (let now = 0; now < 100; now += 1) habit.came(now)
    expect(habit.keepMs).toBe(0)
    returning(eight(1), habit)
    for (let now = 2_000; now < 2_100; now += 20) habit.came(now)
    expect(habit.keepMs).toBe(2)
  })
})

describe('habits', () => {
  test('each name has its own', () => {
    const habits = new Habits()
    for (let now = 0; now < 8; now += 1) {
      habits.left('often', now)
      habits.came('often', now)
      habits.left(`once ${now}`, now)
    }
    expect(habits.keepMs('often')).toBe(1)
    expect(habits.keepMs('once 1')).toBe(0)
    expect(habits.keepMs('never')).toBe(0)
  })

  test('of names that came long ago nothing is remembered', () => {
    const habits = new Habits()
    for (let now = 0; now < 8; now += 1) {
      habits.left('often', now)
      habits.came('often', now)
    }
    for (let number = 0; number < 255; number += 1) habits.left(`once ${number}`, 10)
    expect(habits.keepMs('often')).toBe(1)
    habits.left('one more', 10)
    expect(habits.keepMs('often')).toBe(0)
  })
})
