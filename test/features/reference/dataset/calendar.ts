import { dayMs } from '../model/local-time.ts'

/**
 * The days are fixed, so that a seed gives the same data whenever the test runs. The range contains a leap day, a week
 * 53 and both clock changes of every zone that changes its clock. The range ends after the spring of the next year.
 */
export const firstDay = Date.parse('2020-02-20') / dayMs
export const lastDay = Date.parse('2021-04-20') / dayMs

/**
 * A day without results. The day before and the day after have no results either. Time ranges relative to now use it.
 */
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

/** Days that get many results: the leap day, clock changes, ends of quarters, weeks 53 and 1. */
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
