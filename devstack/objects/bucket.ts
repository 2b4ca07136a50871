import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  ListBucketsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { StackRecord } from '../record/stack-record.ts'

export const bucketName = 'broadgauge'
export const region = 'us-east-1'

export function gatewayUrl({ objects }: StackRecord['ports']): string {
  return `http://127.0.0.1:${objects.gateway}`
}

export function bucketUrl(ports: StackRecord['ports']): string {
  return `${gatewayUrl(ports)}/${bucketName}/`
}

/** Creates the bucket. By default only its owner can access it. */
export async function createBucket(record: StackRecord): Promise<void> {
  const client = connect(record)
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucketName }))
  } catch (error) {
    // s3rver has one owner, and says that a bucket of this owner exists.
    if (!(error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists)) throw error
  } finally {
    client.destroy()
  }
}

export async function listBuckets(record: StackRecord, deadlineMs: number): Promise<void> {
  const client = connect(record)
  try {
    await client.send(new ListBucketsCommand({}), { abortSignal: AbortSignal.timeout(deadlineMs) })
  } finally {
    client.destroy()
  }
}

function connect({ ports, secrets }: StackRecord): S3Client {
  return new S3Client({
    endpoint: gatewayUrl(ports),
    region,
    forcePathStyle: true,
    credentials: secrets.objects,
    // Ceph 16 does not support the checksums that the SDK sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    maxAttempts: 1,
  })
}
