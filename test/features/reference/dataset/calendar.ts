import { dayMs } from '../model/local-time.ts'

/**
 * Fixed, so that a seed means the same on every day: from before a leap day to after the spring of the year that follows
 * week 53, with both changes of the clock in every zone that has them.
 */
export const firstDay = Date.parse('2020-02-20') / dayMs
export const lastDay = Date.parse('2021-04-20') / dayMs

/** A day on which nothing happened anywhere, nor the day before and after: for times that move with the clock. */
export const quietDay = Date.parse('2020-08-09') / dayMs

export const isQuiet = (endedAt: number): boolean =>
  endedAt >= (quietDay - 1) * dayMs && endedAt < (quietDay + 2) * dayMs

export const zones = [
  'Europe/London',
  'Europe/London',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Africa/Casablanca',
  'UTC',
]

/** Where results crowd: leap day, changes of the clock, ends of quarters, weeks 53 and 1. */
export const busyDays = [
  '2020-02-29',
  '2020-03-08',
  '2020-03-29',
  '2020-04-05',
  '2020-04-19',
  '2020-05-31',
  '2020-06-30',
  '2020-09-27',
  '2020-10-04',
  '2020-10-25',
  '2020-11-01',
  '2020-12-28',
  '2021-01-01',
  '2021-01-03',
  '2021-03-14',
  '2021-03-28',
  '2021-04-04',
]
