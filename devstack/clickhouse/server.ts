/**
 * Runs one ClickHouse server. It calls the library of the npm package as clickhouse-local would, but with listeners: a real
 * server for HTTP and the native protocol. The library must run on the main thread's own stack (otherwise: TOO_DEEP_RECURSION),
 * so this process does not return to JavaScript while the server runs. component.ts starts it: node server.ts NODE_DIRECTORY
 * HTTP_PORT TCP_PORT [RELAY_PORT], with the configuration in the environment.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type * as Ffi from 'ffi-rs'
import { enginePackagePath, ownExtension, requireEnginePackage } from '../engine-packages.ts'
import { enginePackagesOf } from '../platform/packages.ts'

const ffi = requireEnginePackage('ffi-rs') as typeof Ffi
const { DataType, isNullPointer, load, open, restorePointer, wrapPointer } = ffi

const [directory = '', httpPort = '', tcpPort = '', relayPort = ''] = process.argv.slice(2)

// The server runs as long as the last query, which sleeps. The quota in users.xml allows exactly these three queries.
const liveForever = [
  'SYSTEM START LISTEN HTTP',
  'SYSTEM START LISTEN TCP',
  `SELECT sleepEachRow(3) FROM numbers(1000000000) FORMAT Null
   SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`,
]

const options = {
  path: join(directory, 'data'),
  'config-file': join(directory, 'config.xml'),
  // In a container the clients are on other hosts.
  listen_host: process.env['DEVSTACK_CLICKHOUSE_HOST'] ?? '127.0.0.1',
  http_port: httpPort,
  tcp_port: tcpPort,
  // The library does not read logger/level from the configuration.
  'log-level': 'information',
  query: liveForever.join(';'),
}
const optionArguments = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
const serverArguments = ['clickhouse', '--multiquery', ...optionArguments]

// The layout of the C struct local_result_v2 in chdb.h.
const resultType = {
  buffer: DataType.External,
  length: DataType.U64,
  vector: DataType.External,
  elapsed: DataType.Double,
  rowsRead: DataType.U64,
  bytesRead: DataType.U64,
  errorMessage: DataType.External,
}

if (relayPort !== '') {
  const relay = new Worker(join(import.meta.dirname, `relay${ownExtension}`), {
    workerData: { from: Number(relayPort), to: Number(tcpPort) },
  })
  await once(relay, 'message')
}

open({
  library: 'chdb',
  path: enginePackagePath(`${enginePackagesOf(process.platform, process.arch).clickhouse}/libchdb.so`),
})
const result = load({
  library: 'chdb',
  funcName: 'query_stable_v2',
  retType: resultType,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [serverArguments.length, serverArguments],
})

// Print the error of an invalid configuration. Without this, the process would exit silently.
const errorMessage = result.errorMessage as Ffi.JsExternal
if (!isNullPointer(errorMessage)) {
  const [text] = restorePointer({ retType: [DataType.String], paramsValue: wrapPointer([errorMessage]) })
  // Print only the message: the library is stripped, so its stack trace contains only question marks.
  console.error(String(text).split(', Stack trace')[0])
}
process.exit(1)
