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
  // Every video can have the same target, the YouTube site.
  identity: ['target', 'video_id'],
  columns: youtubeColumns,
})
