/**
 * Runs s3rver. s3rver.ts starts it: node s3rver-server.ts DIRECTORY PORT, with the key and the secret in the environment.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { requireEnginePackage } from '../engine-packages.ts'

type Account = { createKeyPair: (key: string, secret: string) => void; revokeAccessKey: (key: string) => void }
type Options = { directory: string; silent: boolean; vhostBuckets: boolean; allowMismatchedSignatures: boolean }
type Server = { callback: () => (request: IncomingMessage, response: ServerResponse) => Promise<void> }

const [directory = '', port = ''] = process.argv.slice(2)
const { DUMMY_ACCOUNT } = requireEnginePackage('@20minutes/s3rver/lib/models/account.js') as { DUMMY_ACCOUNT: Account }
const S3rver = requireEnginePackage('@20minutes/s3rver') as new (options: Options) => Server

DUMMY_ACCOUNT.revokeAccessKey('S3RVER')
DUMMY_ACCOUNT.createKeyPair(process.env['DEVSTACK_OBJECTS_KEY'] ?? '', process.env['DEVSTACK_OBJECTS_SECRET'] ?? '')

// s3rver ignores the slash after a bucket's name, and so refuses correct signatures. It still requires the key, which is random.
const options = { directory, silent: true, vhostBuckets: false, allowMismatchedSignatures: true }
const handle = new S3rver(options).callback()

/** s3rver cannot list unfinished uploads. The service removes what this list contains, so an empty list is harmless here. */
const noUploads =
  '<?xml version="1.0" encoding="UTF-8"?><ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>'

createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost')
  if (request.method === 'GET' && searchParams.has('uploads')) {
    response.setHeader('content-type', 'application/xml').end(noUploads)
  } else void handle(request, response)
}).listen(Number(port), '127.0.0.1')
