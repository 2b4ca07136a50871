import {
  GetBucketLifecycleConfigurationCommand,
  PutBucketLifecycleConfigurationCommand,
  type LifecycleRule,
} from '@aws-sdk/client-s3'
import { UserFacingError } from '../../base/fault.ts'
import type { Objects } from './objects.ts'

/**
 * Sets a lifecycle rule in the object storage that deletes what the worker has not deleted: exports one day after they expire,
 * and unfinished uploads. Other rules of the bucket stay. Returns true if it has changed the rules.
 */
export async function changeLifeCycle(objects: Objects, days: number): Promise<boolean> {
  const { client, bucket: Bucket } = objects
  try {
    const present = await findRules(objects)
    const wanted = ourRule(objects, days)
    const others = present.filter(({ ID }) => ID !== wanted.ID)
    if (present.some((rule) => sameRule(rule, wanted))) return false
    const LifecycleConfiguration = { Rules: [...others, wanted] }
    await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }))
    return true
  } catch (error) {
    throw new UserFacingError(
      `The life-cycle rules of the bucket ${Bucket} could not be set (${String(error)}). Give the access key the right to read and ` +
        `change these rules, or set BROADGAUGE_S3_LIFECYCLE=false and set the rules yourself.`,
    )
  }
}

/** The name of the rule contains the prefix, so that each of several installations in the same bucket has its own rule. */
const ourRule = ({ prefix }: Objects, days: number) =>
  ({
    ID: `broadgauge-${prefix}exports`,
    Status: 'Enabled',
    Filter: { Prefix: `${prefix}exports/` },
    Expiration: { Days: days + 1 },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
  }) satisfies LifecycleRule

const sameRule = (one: LifecycleRule, other: LifecycleRule): boolean =>
  one.ID === other.ID &&
  one.Status === other.Status &&
  one.Filter?.Prefix === other.Filter?.Prefix &&
  one.Expiration?.Days === other.Expiration?.Days &&
  one.AbortIncompleteMultipartUpload?.DaysAfterInitiation === other.AbortIncompleteMultipartUpload?.DaysAfterInitiation

async function findRules({ client, bucket: Bucket }: Objects): Promise<LifecycleRule[]> {
  try {
    return (await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules ?? []
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchLifecycleConfiguration') return []
    throw error
  }
}
