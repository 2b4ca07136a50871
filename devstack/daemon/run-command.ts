import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Command } from './start-daemon.ts'

const commandTimeoutMs = 30_000

/** Runs a program until it ends. If it fails, the error contains the program's output. */
export async function runCommand(command: Command): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command.program, command.arguments, {
      timeout: commandTimeoutMs,
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...command.environment },
    })
    return stdout
  } catch (error) {
    const { message, stderr, stdout } = error as Error & { stderr?: string; stdout?: string }
    throw new Error([message, stderr, stdout].filter(Boolean).join('\n').trim(), { cause: error })
  }
}
