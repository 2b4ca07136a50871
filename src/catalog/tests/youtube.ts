import { unitKinds } from '../agent-kinds.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'
import { youtubeColumns } from './youtube-columns.ts'

export default defineTest({
  key: 'youtube',
  name: 'YouTube streaming',
  description: 'Streams a YouTube video over a fixed line as a player would, without showing it.',
  family: 'unit',
  kinds: unitKinds,
  schedule: hourlyBlocks,
  // The target can be the same for every video (the YouTube site), so the video is part of the identity.
  identity: ['target', 'video_id'],
  columns: youtubeColumns,
})
