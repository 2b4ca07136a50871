import { openObjects, pingObjects } from '../../engine/objects/objects.ts'
import { objectsOptions } from '../config.ts'
import type { Settings } from '../config-schema.ts'
import { checkEngine } from './check-engine.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkUsers } from './check-users.ts'
import { examine, type Finding } from './finding.ts'

/** Looks at everything the service needs, and says what to do where it is not well. It changes nothing. */
export async function findAilments(settings: Settings): Promise<Finding[]> {
  return [
    await examine('settings', async () => 'all there, and each by itself right'),
    ...(await checkPostgres(settings)),
    ...(await checkUsers(settings)),
    ...(settings.BROADGAUGE_CLICKHOUSE_ADMIN_USER === undefined ? [noAdmin] : await checkEngine(settings)),
    await examine(`bucket ${settings.BROADGAUGE_S3_BUCKET}`, () => checkBucket(settings)),
  ]
}

const noAdmin: Finding = {
  check: 'ClickHouse, as the admin',
  state: 'wrong',
  remark: 'not looked at: give BROADGAUGE_CLICKHOUSE_ADMIN_USER to see migrations, dictionaries and row policies',
}

async function checkBucket(settings: Settings): Promise<string> {
  const objects = openObjects(objectsOptions(settings))
  try {
    await pingObjects(objects)
    return 'there, and ours to use'
  } finally {
    objects.close()
  }
}
