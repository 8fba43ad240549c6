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

/**
 * Reads the reporter's output.
 *
 * @throws if it is not what the reporter writes.
 */
export function parseReport(json: string, root: string): Report {
  const { success, testResults } = Object(JSON.parse(json))
  if (typeof success !== 'boolean' || !Array.isArray(testResults))
    throw new Error('this is no report of vitest')
  const files = testResults.map((entry) => readFile(Object(entry), root))
  return {
    success,
    tests: files.flatMap(({ tests }) => tests),
    brokenFiles: files
      .filter(({ status, tests }) => status === 'failed' && tests.every((test) => test.status !== 'failed'))
      .map(({ file, message }) => ({ file, message })),
  }
}

interface FileReport {
  readonly file: string
  readonly status: string
  readonly message: string
  readonly tests: readonly TestResult[]
}

function readFile(entry: Readonly<Record<string, unknown>>, root: string): FileReport {
  const file = String(entry['name']).replace(root, '')
  const assertions: readonly unknown[] = Array.isArray(entry['assertionResults'])
    ? entry['assertionResults']
    : []
  return {
    file,
    status: String(entry['status']),
    message: String(entry['message'] ?? ''),
    tests: assertions.map((assertion) => readTest(Object(assertion), file)),
  }
}

function readTest(assertion: Readonly<Record<string, unknown>>, file: string): TestResult {
  const { ancestorTitles, title, status, failureMessages } = assertion
  const groups: readonly unknown[] = Array.isArray(ancestorTitles) ? ancestorTitles : []
  const messages: readonly unknown[] = Array.isArray(failureMessages) ? failureMessages : []
  return {
    file,
    name: [...groups, title].filter((part) => part !== '').join(' > '),
    status: status === 'passed' || status === 'failed' ? status : 'skipped',
    message: messages.map(String).join('\n'),
  }
}
