/**
 * Adds up the reports of all test runs and prints the line that CI reads. A run without a report counts as one failure. The
 * failures are listed again before that line, because often only the end of a long log is stored.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

type Test = { status: string; fullName: string; failureMessages: string[] }
type File = { name: string; status: string; message: string; assertionResults: Test[] }
type Report = { numPassedTests: number; numFailedTests: number; success: boolean; testResults: File[] }

const reports = process.argv.slice(2).map((path): Report => {
  if (!existsSync(path)) {
    process.stdout.write(`✗ no report ${basename(path)}\n`)
    return { numPassedTests: 0, numFailedTests: 1, success: false, testResults: [] }
  }
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report
  report.testResults.filter(({ status }) => status === 'failed').forEach((file) => nameFailures(basename(path), file))
  return report
})
const passed = reports.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0)
// A run can fail even if no test fails: a file could not be loaded, or the end of the run found a leak.
const failed = reports.reduce((sum, { numFailedTests, success }) => sum + Math.max(numFailedTests, success ? 0 : 1), 0)
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

function nameFailures(report: string, { name, message, assertionResults }: File): void {
  const failures = assertionResults.filter(({ status }) => status === 'failed')
  process.stdout.write(`✗ ${report}: ${basename(name)} ${failures.length === 0 ? firstLines(message) : ''}\n`)
  for (const { fullName, failureMessages } of failures)
    process.stdout.write(`    ${fullName}\n${firstLines(failureMessages.join('\n'))}\n`)
}

function firstLines(text: string): string {
  return text.split('\n', 12).join('\n').slice(0, 2000)
}
