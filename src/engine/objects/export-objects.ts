import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { limits } from '../../base/limits.ts'
import { traced } from '../tracing.ts'
import type { Objects } from './objects.ts'

/** An object, or an unfinished upload, of one attempt to write an export. */
export type ExportObject = {
  readonly key: string
  readonly id: string
  readonly attempt: number
  /** Id of the multipart upload, if it is unfinished. */
  readonly uploadId?: string
}

export const exportKey = ({ prefix }: Objects, id: string, attempt: number, extension: string): string =>
  `${prefix}exports/${id}/${attempt}.${extension}`

const named = /exports\/([0-9a-f-]{36})\/(\d+)\.[a-z.]+$/

/** Finds the objects of all exports in the bucket, or of one export. Ignores other objects under the prefix. */
export const findExportObjects = async (objects: Objects, id = ''): Promise<ExportObject[]> =>
  (await Array.fromAsync(listExportObjects(objects, id))).flat()

/** Like `findExportObjects`, but returns pages, because a bucket can have more objects than fit into memory. */
export async function* listExportObjects(objects: Objects, id = ''): AsyncGenerator<ExportObject[]> {
  const { client, bucket, prefix } = objects
  const where = { Bucket: bucket, Prefix: `${prefix}exports/${id}` }
  for (let token: string | undefined, more = true; more;) {
    const page = await client.send(new ListObjectsV2Command({ ...where, ContinuationToken: token }), deadline())
    yield (page.Contents ?? []).flatMap(({ Key = '' }) => ofAttempt(prefix, Key))
    token = page.NextContinuationToken
    more = page.IsTruncated === true
  }
  for (let marker = {}, more = true; more;) {
    const page = await client.send(new ListMultipartUploadsCommand({ ...where, ...marker }), deadline())
    yield (page.Uploads ?? []).flatMap(({ Key = '', UploadId }) => ofAttempt(prefix, Key, UploadId))
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    more = page.IsTruncated === true
  }
}

/** Returns an empty list if the key does not belong to an export. */
function ofAttempt(prefix: string, key: string, uploadId?: string): ExportObject[] {
  const [, id, attempt] = named.exec(key.slice(prefix.length)) ?? []
  if (id === undefined) return []
  return [{ key, id, attempt: Number(attempt), ...(uploadId === undefined ? {} : { uploadId }) }]
}

/** Deletes objects and unfinished uploads. Succeeds for objects that no longer exist. */
export async function removeExportObjects(
  { client, bucket: Bucket }: Objects,
  unwanted: readonly ExportObject[],
): Promise<void> {
  const whole = unwanted.filter(({ uploadId }) => uploadId === undefined)
  for (let from = 0; from < whole.length; from += 1000) {
    const Objects = whole.slice(from, from + 1000).map(({ key }) => ({ Key: key }))
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }), deadline())
    if (Errors[0] !== undefined) throw new Error(`${Errors[0].Key} cannot be removed: ${Errors[0].Message}`)
  }
  for (const { key: Key, uploadId: UploadId } of unwanted) {
    if (UploadId === undefined) continue
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), deadline()).catch(unlessGone)
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'NoSuchUpload') throw error
}

export async function readObjectBytes({ client, bucket }: Objects, key: string): Promise<number> {
  const { ContentLength } = await traced('S3 HeadObject', 'client', { 'rpc.system.name': 'aws-api' }, () =>
    client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), deadline()),
  )
  if (ContentLength === undefined) throw new Error(`the storage does not say how large ${key} is`)
  return ContentLength
}

const deadline = () => ({ abortSignal: AbortSignal.timeout(limits.clientTimeoutMs) })
