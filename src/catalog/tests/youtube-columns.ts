import { bytesPerSecond, count, microseconds, outcome, text, type Column } from '../columns.ts'

/** Columns of the YouTube tests of fixed and mobile agents, which stream in the same way. */
export const youtubeColumns: readonly Column[] = [
  text('target', 'Host name of the YouTube site or video server.', { required: true }),
  text('address', 'IP address of the video server.'),
  text('video_id', 'YouTube identifier of the video.'),
  bytesPerSecond('bitrate', 'Bitrate of the video and audio that were streamed.'),
  count('stall_events', 'Number of times that playback would have stopped because the buffer was empty.'),
  microseconds('stall_duration_avg', 'Mean duration of a stall.'),
  microseconds('stall_duration_total', 'Total time that playback would have stopped, over all stalls.'),
  microseconds('web_connect_time', 'Time to connect to the YouTube web site.'),
  microseconds('video_connect_time', 'Time to connect to the server of the video stream.'),
  microseconds('audio_connect_time', 'Time to connect to the server of the audio stream.'),
  microseconds('startup_delay', 'Time from the request of the video until playback would have begun.'),
  microseconds('prebuffering_duration', 'Time to fill the buffer before playback would have begun.'),
  bytesPerSecond('video_download_bytes_sec', 'Throughput of the video stream.'),
  bytesPerSecond('audio_download_bytes_sec', 'Throughput of the audio stream.'),
  text('error', 'Code of the error that ended the test, empty or missing if there was no error.'),
  ...outcome,
]
