import { enginePackagePath } from '../engine-packages.ts'
import { missingCephPrograms } from './binaries.ts'

/**
 * The program that stores objects. `s3rver` is only for the demo: it has too few operations of S3 for the tests. `none` means
 * that the stack has no object storage, so that exports fail.
 */
export type ObjectStorage = 'ceph' | 's3rver' | 'none'

/** Chooses Ceph if it is installed, else s3rver if its package is. */
export async function chooseObjectStorage(
  hasCeph = async (): Promise<boolean> => (await missingCephPrograms()).length === 0,
  hasPackage = hasS3rver,
): Promise<ObjectStorage> {
  if (await hasCeph()) return 'ceph'
  return hasPackage() ? 's3rver' : 'none'
}

function hasS3rver(): boolean {
  try {
    enginePackagePath('@20minutes/s3rver')
    return true
  } catch {
    return false
  }
}

const install = 'apt-get install --no-install-recommends radosgw ceph-mon ceph-osd'

/** What the person who starts the demo must know about its object storage; null if there is nothing. */
export const storageNotice: Readonly<Record<ObjectStorage, string | null>> = {
  ceph: null,
  s3rver: `Exports are stored by s3rver, which has few operations of S3: for this demo only. Ceph is used if it is installed before the first start (${install}).`,
  none: `Exports are disabled, because no object storage is installed. Everything else works. For exports, install Ceph (${install}) or run "npm ci", and remove the stack.`,
}
