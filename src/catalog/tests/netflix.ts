import { unitKinds } from '../agent-kinds.ts'
import { bytesPerSecond, count, microseconds, outcome, text } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'

export default defineTest({
  key: 'netflix',
  name: 'Netflix streaming',
  description: 'Downloads video content from the Netflix delivery network as a player would, without showing it.',
  family: 'unit',
  kinds: unitKinds,
  schedule: hourlyBlocks,
  identity: ['target'],
  columns: [
    text('target', 'Host name of the delivery server.', { required: true }),
    text('address', 'IP address of the delivery server.'),
    bytesPerSecond('bitrate', 'Bitrate of the video that was streamed.'),
    bytesPerSecond('max_bitrate', 'Highest video bitrate the line could have streamed without a stall.'),
    count('stall_events', 'Number of times that playback would have stopped because the buffer was empty.'),
    microseconds('stall_duration_total', 'Total time that playback would have stopped, over all stalls.'),
    microseconds('connect_time', 'Time to open the TCP connection to the delivery server.'),
    microseconds('download_duration', 'Duration of the download.'),
    microseconds('prebuffering_duration', 'Time to fill the buffer before playback would have begun.'),
    bytesPerSecond('bytes_sec', 'Throughput over the whole download.'),
    text('error', 'Code of the error that ended the test, empty or missing if there was no error.'),
    text('error_msg', 'Text of the error that ended the test.'),
    ...outcome,
  ],
})
