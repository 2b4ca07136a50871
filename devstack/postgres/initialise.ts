import { chown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../daemon/run-command.ts'
import { asUnprivileged, isRoot, nobody } from './unprivileged.ts'

/** Creates the database cluster if it does not exist. */
export async function initialisePostgres(directory: string, initdb: string, superuserPassword: string): Promise<void> {
  const data = join(directory, 'data')
  if (await exists(data)) return
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if (isRoot()) await chown(directory, nobody.uid, nobody.gid)
  // initdb writes to a temporary directory, which is then renamed. So an interrupted initdb never looks like a complete
  // cluster.
  const unfinished = join(directory, 'data.new')
  const passwordFile = join(directory, 'superuser-password')
  await rm(unfinished, { recursive: true, force: true })
  await writeFile(passwordFile, superuserPassword, { mode: 0o600 })
  try {
    await runCommand(asUnprivileged({ program: initdb, arguments: initdbArguments(unfinished, passwordFile) }))
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(unfinished, data)
}

function initdbArguments(data: string, passwordFile: string): string[] {
  const identity = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  return [`--pgdata=${data}`, ...identity, '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', '--no-instructions']
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
