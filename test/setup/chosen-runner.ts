import { type RunnerTask, type RunnerTestFile, TestRunner } from 'vitest'
import { ofEachKind, once, otherKinds } from '../conformance/chosen.js'

/** Runs the chosen cases of the suite alone; the others are shown as skipped. */
export default class ChosenRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    for (const task of files.flatMap(({ tasks }) => tasks)) chooseInSuites(task)
  }
}

/** One file may hold the suite several times, for several products. */
function chooseInSuites(task: RunnerTask): void {
  if (task.type !== 'suite') return
  const isSuite = /^(conformance|contract): /.test(task.name)
  if (!isSuite) {
    for (const each of task.tasks) chooseInSuites(each)
    return
  }
  const left = new Set([...once, ...ofEachKind])
  choose(task, [...left], left)
  // The contract of servers is the suite of the plain lock alone.
  if (left.size > 0 && task.name.startsWith('conformance'))
    throw new Error(`chosen, but no case of the suite: ${[...left].join('; ')}`)
}

function choose(task: RunnerTask, titles: readonly string[], left: Set<string>): void {
  if (task.type === 'suite') {
    const chosen = otherKinds.includes(task.name) ? [...ofEachKind, ...left] : titles
    for (const each of task.tasks) choose(each, chosen, left)
    return
  }
  // What a place lacks has the reason behind its title.
  const title = titles.find((each) => task.name.startsWith(each))
  if (title === undefined) task.mode = 'skip'
  else left.delete(title)
}
