/**
 * Runs s3rver: node s3rver-server.ts DIRECTORY PORT. The environment has the key and the secret, and for a container the address
 * and a bucket to create. s3rver refuses two requests that the service sends when it removes files: to list unfinished uploads,
 * and to abort one. This file adds both.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { requireEnginePackage } from '../engine-packages.ts'

type Account = { createKeyPair: (key: string, secret: string) => void; revokeAccessKey: (key: string) => void }
type Context = {
  method: string
  path: string
  query: Record<string, string | undefined>
  body: unknown
  status: number
}
type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>
type Server = {
  middleware: Middleware[]
  store: { getResourcePath: (bucket: string, key: undefined, resource: string) => string }
  run: () => Promise<unknown>
}

const [directory = '', port = ''] = process.argv.slice(2)
const {
  DEVSTACK_OBJECTS_KEY: key = '',
  DEVSTACK_OBJECTS_SECRET: secret = '',
  DEVSTACK_OBJECTS_HOST: address = '127.0.0.1',
  DEVSTACK_OBJECTS_BUCKET: created,
} = process.env
const { DUMMY_ACCOUNT } = requireEnginePackage('@20minutes/s3rver/lib/models/account.js') as { DUMMY_ACCOUNT: Account }
const S3rver = requireEnginePackage('@20minutes/s3rver') as new (options: object) => Server

DUMMY_ACCOUNT.revokeAccessKey('S3RVER')
DUMMY_ACCOUNT.createKeyPair(key, secret)

const server = new S3rver({
  address,
  port: Number(port),
  directory,
  silent: true,
  // The bucket is in the path of a request. With the default, s3rver takes the name of a host as a bucket.
  vhostBuckets: false,
  // s3rver leaves the slash at the end of `/broadgauge/` out of the signature that it computes, and would refuse every request
  // about the bucket. It has no access control anyway: it accepts requests without a signature.
  allowMismatchedSignatures: true,
  configureBuckets: created === undefined ? [] : [{ name: created }],
})

// The last middleware is the router of s3rver. An earlier one writes the XML of an object in `body`.
server.middleware.splice(-1, 0, async (context, next) => {
  const { method, path, query } = context
  const [, bucket = ''] = path.split('/')
  const folder = server.store.getResourcePath(bucket, undefined, 'uploads')
  if (method === 'GET' && 'uploads' in query) {
    const Upload = await findUploads(folder, query['prefix'] ?? '')
    context.body = { ListMultipartUploadsResult: { Bucket: bucket, IsTruncated: false, Upload } }
  } else if (method === 'DELETE' && /^[0-9a-f]{32}$/.test(query['uploadId'] ?? '')) {
    await rm(join(folder, query['uploadId'] ?? ''), { recursive: true, force: true })
    context.status = 204
  } else await next()
})

async function findUploads(folder: string, prefix: string): Promise<{ Key: string; UploadId: string }[]> {
  const ids = await readdir(folder).catch(() => [])
  const uploads = ids.map(async (UploadId) => {
    // A part that arrives after the upload was aborted creates a folder without a key.
    const Key = await readFile(join(folder, UploadId, 'key'), 'utf8').catch(() => null)
    return Key?.startsWith(prefix) === true ? [{ Key, UploadId }] : []
  })
  return (await Promise.all(uploads)).flat()
}

// Node.js ignores SIGTERM as the first process of a container, unless it has a handler.
process.once('SIGTERM', () => process.exit())
await server.run()
