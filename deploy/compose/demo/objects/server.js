/**
 * Runs s3rver with one bucket. s3rver refuses two requests that the service sends when it removes files: to list unfinished
 * multipart uploads, and to abort one. This file adds both.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

const server = new S3rver({
  address: '0.0.0.0',
  port: 4568,
  directory: '/data',
  silent: true,
  // The bucket is in the path of a request. With the default, s3rver takes the host name `objects` as a bucket.
  vhostBuckets: false,
  // In the path `/broadgauge/`, s3rver leaves the last slash out of the signature that it computes. So it would refuse every
  // request about the bucket. It has no access control anyway.
  allowMismatchedSignatures: true,
  configureBuckets: [{ name: 'broadgauge' }],
})

// The last middleware is the router of s3rver. An earlier one writes the XML of an object in `body`.
server.middleware.splice(-1, 0, async (ctx, next) => {
  const [, bucket = ''] = ctx.path.split('/')
  const folder = server.store.getResourcePath(bucket, undefined, 'uploads')
  if (ctx.method === 'GET' && 'uploads' in ctx.query) {
    const Upload = await findUploads(folder, ctx.query.prefix ?? '')
    ctx.body = { ListMultipartUploadsResult: { Bucket: bucket, IsTruncated: false, Upload } }
  } else if (ctx.method === 'DELETE' && /^[0-9a-f]{32}$/.test(ctx.query.uploadId ?? '')) {
    await rm(join(folder, ctx.query.uploadId), { recursive: true, force: true })
    ctx.status = 204
  } else await next()
})

async function findUploads(folder, prefix) {
  const ids = await readdir(folder).catch(() => [])
  const uploads = ids.map(async (UploadId) => {
    // A part that arrives after the upload was aborted creates a folder without a key.
    const Key = await readFile(join(folder, UploadId, 'key'), 'utf8').catch(() => null)
    return Key?.startsWith(prefix) ? [{ Key, UploadId }] : []
  })
  return (await Promise.all(uploads)).flat()
}

// Node.js ignores SIGTERM as the first process of a container, unless it has a handler.
process.once('SIGTERM', () => process.exit())
await server.run()
