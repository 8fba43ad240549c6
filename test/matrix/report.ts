import type { JsonTestResults } from 'vitest/node'

/** What vitest's JSON reporter wrote, as far as it is of use here. */
export interface Report {
  readonly success: boolean
  readonly tests: readonly TestResult[]
  readonly brokenFiles: ReadonlyArray<{ readonly file: string; readonly message: string }>
}

export interface TestResult {
  /** Relative to the checkout. */
  readonly file: string
  readonly name: string
  readonly status: 'passed' | 'failed' | 'skipped'
  readonly message: string
}

export function parseReport(json: string, root: string): Report {
  const { success, testResults }: JsonTestResults = JSON.parse(json)
  const files = testResults.map(({ name, status, message, assertionResults }) => {
    const file = name.replace(root, '')
    const tests = assertionResults.map((each): TestResult => {
      const { ancestorTitles, title, failureMessages } = each
      return {
        file,
        name: [...ancestorTitles, title].filter((part) => part !== '').join(' > '),
        status: each.status === 'passed' || each.status === 'failed' ? each.status : 'skipped',
        message: (failureMessages ?? []).join('\n'),
      }
    })
    const broken = status === 'failed' && !tests.some((test) => test.status === 'failed')
    return { file, message, tests, broken }
  })
  const brokenFiles = files.filter(({ broken }) => broken)
  return { success, tests: files.flatMap(({ tests }) => tests), brokenFiles }
}
