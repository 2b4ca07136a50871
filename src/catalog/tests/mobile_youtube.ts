import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'
import { mobileColumns } from './mobile-columns.ts'
import { youtubeColumns } from './youtube-columns.ts'

export default defineTest({
  key: 'mobile_youtube',
  name: 'Mobile YouTube streaming',
  description: 'Streams a YouTube video on a mobile device as a player would, without showing it.',
  family: 'mobile',
  kinds: ['mobile'],
  schedule: hourlyBlocks,
  // The target can be the same for every video (the YouTube site), so the video is part of the identity.
  identity: ['target', 'video_id'],
  columns: [...youtubeColumns, ...mobileColumns],
})
