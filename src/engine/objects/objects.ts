import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { storeUnavailable } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'

/** The bucket for exports. All objects of this installation begin with `prefix`. */
export type Objects = {
  readonly client: S3Client
  /** A client with the address of the object storage that callers can reach. It signs download links. */
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
    // Object storages other than Amazon S3 often refuse the checksums that the SDK adds by default.
    requestChecksumCalculation: options.checksums,
    responseChecksumValidation: options.checksums,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
  })

/** Checks that the bucket exists and that the service may use it. */
export async function pingObjects({ client, bucket }: Objects): Promise<void> {
  const deadline = AbortSignal.timeout(limits.readinessTimeoutMs)
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: deadline })
  } catch (error) {
    throw storeUnavailable('Object storage', error)
  }
}
