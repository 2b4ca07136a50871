/**
 * One ClickHouse server. The npm package's library is called as clickhouse-local would be, with listeners: a real
 * HTTP and native server. It has to run on the main thread's own stack (elsewhere: TOO_DEEP_RECURSION), so this
 * process never comes back to JavaScript while the server lives.
 * Called by component.ts: node server.ts NODE_DIRECTORY HTTP_PORT TCP_PORT, configuration in the environment.
 */
import { join } from 'node:path'
import type * as Ffi from 'ffi-rs'
import { enginePackagePath, requireEnginePackage } from '../engine-packages.ts'

const ffi = requireEnginePackage('ffi-rs') as typeof Ffi
const { DataType, isNullPointer, load, open, restorePointer, wrapPointer } = ffi

const [directory = '', httpPort = '', tcpPort = ''] = process.argv.slice(2)

// The server lives as long as its own query: one that sleeps. users.xml counts these three queries.
const liveForever = [
  'SYSTEM START LISTEN HTTP',
  'SYSTEM START LISTEN TCP',
  `SELECT sleepEachRow(3) FROM numbers(1000000000) FORMAT Null
   SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`,
]

const options = {
  path: join(directory, 'data'),
  'config-file': join(directory, 'config.xml'),
  listen_host: '127.0.0.1',
  http_port: httpPort,
  tcp_port: tcpPort,
  // The configuration's own logger/level is not read in this mode.
  'log-level': 'information',
  query: liveForever.join(';'),
}
const optionArguments = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
const serverArguments = ['clickhouse', '--multiquery', ...optionArguments]

// struct local_result_v2 of chdb.h.
const resultType = {
  buffer: DataType.External,
  length: DataType.U64,
  vector: DataType.External,
  elapsed: DataType.Double,
  rowsRead: DataType.U64,
  bytesRead: DataType.U64,
  errorMessage: DataType.External,
}

open({ library: 'chdb', path: enginePackagePath(`${libraryPackage()}/libchdb.so`) })
const result = load({
  library: 'chdb',
  funcName: 'query_stable_v2',
  retType: resultType,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [serverArguments.length, serverArguments],
})

// A faulty configuration is told only here; without this line it would look like a silent exit.
const errorMessage = result.errorMessage as Ffi.JsExternal
if (!isNullPointer(errorMessage)) {
  const [text] = restorePointer({ retType: [DataType.String], paramsValue: wrapPointer([errorMessage]) })
  // The library is stripped: its stack trace is a page of question marks.
  console.error(String(text).split(', Stack trace')[0])
}
process.exit(1)

function libraryPackage(): string {
  return `@chdb/lib-${process.platform}-${process.arch}-gnu`
}
