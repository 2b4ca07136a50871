import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const programs = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin']

export async function missingCephPrograms(): Promise<string[]> {
  const found = await Promise.all(programs.map(isOnPath))
  return programs.filter((_, index) => !found[index])
}

export async function checkCephInstalled(): Promise<void> {
  const missing = await missingCephPrograms()
  if (missing.length === 0) return
  throw new Error(
    `Ceph's object storage is not installed (missing: ${missing.join(', ')}). Run as root:\n` +
      'apt-get update && apt-get install -y --no-install-recommends radosgw ceph-mon ceph-osd',
  )
}

async function isOnPath(program: string): Promise<boolean> {
  const directories = (process.env['PATH'] ?? '').split(delimiter)
  const found = await Promise.allSettled(
    directories.map((directory) => access(join(directory, program), constants.X_OK)),
  )
  return found.some(({ status }) => status === 'fulfilled')
}
