import { openObjects, pingObjects } from '../../engine/objects/objects.ts'
import { objectsOptions } from '../config.ts'
import type { Settings } from '../config-schema.ts'
import { checkEngine } from './check-engine.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkUsers } from './check-users.ts'
import { examine, type Finding } from './finding.ts'

/** Checks everything that the service needs, and reports how to fix problems. It changes nothing. */
export async function findAilments(settings: Settings): Promise<Finding[]> {
  return [
    await examine('settings', async () => 'all required settings are present and valid'),
    ...(await checkPostgres(settings)),
    ...(await checkUsers(settings)),
    ...(settings.BROADGAUGE_CLICKHOUSE_ADMIN_USER === undefined ? [noAdmin] : await checkEngine(settings)),
    await examine(`bucket ${settings.BROADGAUGE_S3_BUCKET}`, () => checkBucket(settings)),
  ]
}

const noAdmin: Finding = {
  check: 'ClickHouse, as the admin',
  state: 'wrong',
  remark: 'not checked; set BROADGAUGE_CLICKHOUSE_ADMIN_USER to check migrations, dictionaries and row policies',
}

async function checkBucket(settings: Settings): Promise<string> {
  const objects = openObjects(objectsOptions(settings))
  try {
    await pingObjects(objects)
    return 'exists, and the service can access it'
  } finally {
    objects.close()
  }
}
