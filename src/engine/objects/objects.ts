import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { storeAway } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'

/** The bucket exports are written to, and the prefix under which this installation keeps to itself. */
export type Objects = {
  readonly client: S3Client
  /** The same under the address that callers know it by; for links. */
  readonly publicClient: S3Client
  readonly bucket: string
  readonly prefix: string
  close: () => void
}

export type ObjectsOptions = {
  endpoint: string | null
  publicEndpoint: string | null
  region: string
  bucket: string
  prefix: string
  pathStyle: boolean
  checksums: 'WHEN_REQUIRED' | 'WHEN_SUPPORTED'
  accessKeyId: string
  secretAccessKey: string
}

export function openObjects(options: ObjectsOptions): Objects {
  const { endpoint, publicEndpoint, bucket, prefix } = options
  const client = createClient(options, endpoint)
  const publicClient = publicEndpoint === null ? client : createClient(options, publicEndpoint)
  const close = () => {
    client.destroy()
    publicClient.destroy()
  }
  return { client, publicClient, bucket, prefix, close }
}

const createClient = (options: ObjectsOptions, endpoint: string | null): S3Client =>
  new S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    region: options.region,
    forcePathStyle: options.pathStyle,
    // Stores other than Amazon's often refuse the checksums the SDK adds by default.
    requestChecksumCalculation: options.checksums,
    responseChecksumValidation: options.checksums,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
  })

/** Is the bucket there, and ours to use? */
export async function pingObjects({ client, bucket }: Objects): Promise<void> {
  const deadline = AbortSignal.timeout(limits.readinessTimeoutMs)
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: deadline })
  } catch (error) {
    throw storeAway('Object storage', error)
  }
}
