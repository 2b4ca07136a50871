import {
  CreateMultipartUploadCommand,
  DeleteBucketLifecycleCommand,
  GetBucketLifecycleConfigurationCommand,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exportKey, findExportObjects } from '../../../src/engine/objects/export-objects.ts'
import { changeLifeCycle } from '../../../src/engine/objects/life-cycle.ts'
import type { Objects } from '../../../src/engine/objects/objects.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { migrate } from '../../../src/serve/tasks/migrate.ts'
import { until } from '../../faults/attempt.ts'
import { withBucket } from '../../kit/bucket.ts'
import { openWorld, type World } from '../../kit/world.ts'

/** In the development stack, a day of the bucket's life-cycle rules lasts ten seconds. */
let world: World
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
}, 60_000)
afterAll(() => world.close())

const rules = async ({ client, bucket: Bucket }: Objects) =>
  (await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules ?? []

it('makes the object storage remove expired files and unfinished uploads', { timeout: 120_000 }, async () => {
  await withBucket(world.environment, async (objects) => {
    const { client, bucket: Bucket } = objects
    const foreign = {
      ID: 'of others',
      Status: 'Enabled',
      Filter: { Prefix: 'others/' },
      Expiration: { Days: 300 },
    } as const
    await client.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: [foreign] } }),
    )
    const settings = { ...world.environment, BROADGAUGE_S3_LIFECYCLE: 'true', BROADGAUGE_EXPORT_DAYS: '1' }
    const report = await migrate(readSettings(settings))
    expect(report.objects).toEqual(['life-cycle rules'])
    expect((await migrate(readSettings(settings))).objects).toEqual([])
    expect(new Set((await rules(objects)).map(({ ID }) => ID))).toEqual(
      new Set(['of others', `broadgauge-${objects.prefix}exports`]),
    )

    const Key = exportKey(objects, randomUUID(), 1, 'csv')
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
    await client.send(new CreateMultipartUploadCommand({ Bucket, Key: exportKey(objects, randomUUID(), 1, 'csv') }))
    expect(await findExportObjects(objects)).toHaveLength(2)
    await until(async () => (await findExportObjects(objects)).length === 0, 100_000, 500)

    expect(await changeLifeCycle(objects, 30)).toBe(true)
    expect(new Set((await rules(objects)).map(({ Expiration }) => Expiration?.Days))).toEqual(new Set([300, 31]))
    await client.send(new DeleteBucketLifecycleCommand({ Bucket }))
  })
})

it('says what to do if the service may not set the life-cycle rule', async () => {
  const refused = { ...world.environment, BROADGAUGE_S3_LIFECYCLE: 'true', BROADGAUGE_S3_BUCKET: 'not-there' }
  await expect(migrate(readSettings(refused))).rejects.toThrow('set BROADGAUGE_S3_LIFECYCLE=false')
})
