/** Adds up the reports of all test runs and prints the line CI reads. A run without a report counts as one failure. */
import { existsSync, readFileSync } from 'node:fs'

type Report = { numPassedTests: number; numFailedTests: number; success: boolean }

const reports = process.argv.slice(2).map((path): Report => {
  if (!existsSync(path)) return { numPassedTests: 0, numFailedTests: 1, success: false }
  return JSON.parse(readFileSync(path, 'utf8')) as Report
})
const passed = reports.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0)
// A file that could not be loaded, or a leak found at the end, fails a run without failing a test.
const failed = reports.reduce((sum, { numFailedTests, success }) => sum + Math.max(numFailedTests, success ? 0 : 1), 0)
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
