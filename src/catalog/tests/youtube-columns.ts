import { bytesPerSecond, count, microseconds, outcome, text, type Column } from '../columns.ts'

/** Fixed and mobile agents stream YouTube the same way and store the same row. */
export const youtubeColumns: readonly Column[] = [
  text('target', 'Host name of the YouTube site or video server.', { required: true }),
  text('address', 'IP address of the video server.'),
  text('video_id', 'YouTube identifier of the video.'),
  bytesPerSecond('bitrate', 'Bitrate of the video and audio that were streamed.'),
  count('stall_events', 'Times playback would have stopped because the buffer ran empty.'),
  microseconds('stall_duration_avg', 'Mean duration of a stall.'),
  microseconds('stall_duration_total', 'Time playback would have stood still, over all stalls.'),
  microseconds('web_connect_time', 'Time to connect to the YouTube web site.'),
  microseconds('video_connect_time', 'Time to connect to the server of the video stream.'),
  microseconds('audio_connect_time', 'Time to connect to the server of the audio stream.'),
  microseconds('startup_delay', 'Time from asking for the video until playback would have begun.'),
  microseconds('prebuffering_duration', 'Time to fill the buffer before playback would have begun.'),
  bytesPerSecond('video_download_bytes_sec', 'Throughput of the video stream.'),
  bytesPerSecond('audio_download_bytes_sec', 'Throughput of the audio stream.'),
  text('error', 'Code of the error that ended the test, empty or missing if there was none.'),
  ...outcome,
]
